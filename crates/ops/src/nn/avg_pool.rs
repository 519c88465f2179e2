//! `AvgPool`: the means of what a window covers.

use super::pooling::{pool_shape, pool_window, pooled};
use super::sliding_window::sliding_like;
use crate::array::dims::shape_of;
use crate::parallel::pool;
use crate::prelude::*;
use ferroflow_math::avg_pool;

pub const OP: OpSpec = OpSpec {
    signature: "AvgPool(value: T) -> (output: T)",
    attrs: "ksize: list(int) >= 4; strides: list(int) >= 4; padding: string in {\"SAME\", \"VALID\"}; data_format: string in {\"NHWC\", \"NCHW\"} = \"NHWC\"; T: type in {half, bfloat16, float, double}",
    doc: "output[b, i, j, d] = the mean of value[b, i stride + r, j stride + c, d] for r and c inside ksize and the image.",
    shape: pool_shape,
    gradient: Gradient::Of(gradient),
    kernels: &[Kernel::cpu(compute).on("T", FLOATS)],
    tolerance: Tolerance::Rounding,
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let x = ctx.input(0)?;
    let window = pool_window(&ctx.node.attrs, x.shape())?;
    let mut y = Tensor::for_overwrite(x.dtype(), pooled(&window)?)?;
    with_float!(x.dtype() => T, {
        avg_pool::<T>(&pool(ctx.step), &window, x.as_slice()?, y.as_mut_slice()?);
    }, else { return Err(unsupported("AvgPool", x.dtype())) });
    ctx.set_output(0, y);
    Ok(())
}

fn gradient(op: &Operation, grads: &OutGrads) -> Result<Vec<Option<Grad>>> {
    let dx = sliding_like(op, "AvgPoolGrad", [shape_of(&op.input(0)), grads.dense(0)]);
    Ok(vec![Some(dx.into())])
}
