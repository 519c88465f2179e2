//! `AdjustSaturation`: colours more or less gray.

use super::color::{check_channels, map_pixels, pixels_shape, to_hsv, to_rgb};
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "AdjustSaturation(images: T, scale: float) -> (output: T)",
    attrs: "T: type in {half, float} = float",
    doc: "Each pixel with its saturation times `scale`, at most 1.",
    shape: pixels_shape::<3>,
    kernels: &[Kernel::cpu(compute).on("T", &[DType::Float])],
    tolerance: Tolerance::Rounding,
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let x = ctx.input(0)?;
    let scale = f64::from(ctx.scalar::<f32>(1, "scale")?);
    check_channels(x, 3)?;
    let y = map_pixels(ctx, x, |pixel| {
        let [hue, saturation, value] = to_hsv(pixel);
        to_rgb([hue, (saturation * scale).clamp(0.0, 1.0), value])
    })?;
    ctx.set_output(0, y);
    Ok(())
}
