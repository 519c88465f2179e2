//! `MaxPoolGradV2`: the gradient of `MaxPoolV2`.

use super::max_pool_grad::spread;
use super::pooling::attrs_with_window;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "MaxPoolGradV2(orig_input: T, orig_output: T, grad: T, ksize: int32, strides: int32) -> (output: T)",
    attrs: "padding: string in {\"SAME\", \"VALID\"}; data_format: string in {\"NHWC\", \"NCHW\"} = \"NHWC\"; T: type in {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64} = float",
    doc: "As MaxPoolGrad, with ksize and strides as inputs.",
    shape: shape::unchanged_with_rank_at_least::<4>,
    kernels: &[Kernel::cpu(compute).on("T", REAL)],
    tolerance: Tolerance::Rounding,
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let attrs = attrs_with_window(ctx, 3)?;
    spread(ctx, &attrs)
}
