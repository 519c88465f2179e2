//! `HSVToRGB`: colours as red, green and blue.

use super::color::{check_channels, map_pixels, pixels_shape, to_rgb};
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "HSVToRGB(images: T) -> (output: T)",
    attrs: "T: type in {half, bfloat16, float, double} = float",
    doc: "Each pixel's hue, saturation and value in [0, 1] as red, green and blue.",
    shape: pixels_shape::<1>,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(compute).on("T", FLOATS)],
    tolerance: Tolerance::Rounding,
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let x = ctx.input(0)?;
    check_channels(x, 1)?;
    let y = map_pixels(ctx, x, to_rgb)?;
    ctx.set_output(0, y);
    Ok(())
}
