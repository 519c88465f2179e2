//! `MaxPoolV2`: the largest elements under a window whose size is an input.

use super::max_pool::largest;
use super::pooling::{attrs_with_window, pool_v2_shape};
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "MaxPoolV2(input: T, ksize: int32, strides: int32) -> (output: T)",
    attrs: "T: type in {half, bfloat16, float, double, int32, int64, uint8, int16, int8, uint16, qint8} = float; padding: string in {\"SAME\", \"VALID\"}; data_format: string in {\"NHWC\", \"NCHW\", \"NCHW_VECT_C\"} = \"NHWC\"",
    doc: "As MaxPool, with ksize and strides as inputs.",
    shape: pool_v2_shape,
    gradient: Gradient::Of(gradient),
    kernels: &[Kernel::cpu(compute).on("T", REAL)],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let attrs = attrs_with_window(ctx, 1)?;
    largest(ctx, &attrs)
}

fn gradient(op: &Operation, grads: &OutGrads) -> Result<Vec<Option<Grad>>> {
    let (padding, format) =
        op.with_attrs(|a| Ok::<_, ferroflow_tensor::Error>((a.str("padding")?.to_owned(), a.str("data_format")?.to_owned())))?;
    let dx = op
        .graph()
        .op("MaxPoolGradV2")
        .inputs([op.input(0), op.output(0), grads.dense(0), op.input(1), op.input(2)])
        .attr("padding", padding)
        .attr("data_format", format)
        .output();
    Ok(vec![Some(dx.into()), None, None])
}
