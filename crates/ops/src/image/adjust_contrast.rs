//! `AdjustContrast`: images farther from or nearer to their mean, within bounds.

use super::contrast::bounded;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "AdjustContrast(images: T, contrast_factor: float, min_value: float, max_value: float) -> (output: float)",
    attrs: "T: type in {uint8, int8, int16, int32, int64, float, double}",
    doc: "mean + contrast_factor (images - mean), the mean being that of each channel of each image, and not below min_value or above max_value.",
    shape: shape::unchanged_with_rank_at_least::<3>,
    kernels: &[Kernel::cpu(compute)],
    tolerance: Tolerance::Rounding,
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let [factor, low, high] = [(1, "contrast_factor"), (2, "min_value"), (3, "max_value")].map(|(i, name)| ctx.scalar::<f32>(i, name));
    let y = bounded(ctx.input(0)?, f64::from(factor?), [f64::from(low?), f64::from(high?)])?;
    ctx.set_output(0, y);
    Ok(())
}
