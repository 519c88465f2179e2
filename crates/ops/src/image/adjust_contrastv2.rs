//! `AdjustContrastv2`: images farther from or nearer to their mean.

use super::contrast::unbounded;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "AdjustContrastv2(images: T, contrast_factor: float) -> (output: T)",
    attrs: "T: type in {half, float} = float",
    doc: "mean + contrast_factor (images - mean), the mean being that of each channel of each image.",
    shape: shape::unchanged_with_rank_at_least::<3>,
    kernels: &[Kernel::cpu(compute).on("T", &[DType::Half, DType::Float])],
    tolerance: Tolerance::Rounding,
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let factor = ctx.scalar::<f32>(1, "contrast_factor")?;
    let y = unbounded(ctx.input(0)?, f64::from(factor))?;
    ctx.set_output(0, y);
    Ok(())
}
