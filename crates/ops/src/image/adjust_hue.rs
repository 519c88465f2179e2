//! `AdjustHue`: colours turned on the circle of hues.

use super::color::{check_channels, map_pixels, pixels_shape};
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "AdjustHue(images: T, delta: float) -> (output: T)",
    attrs: "T: type in {half, float} = float",
    doc: "Each pixel with its hue moved on by `delta` circles; how bright and how gray it is does not change.",
    shape: pixels_shape::<3>,
    kernels: &[Kernel::cpu(compute).on("T", &[DType::Float])],
    tolerance: Tolerance::Rounding,
    ..WORDS
};

/// A pixel with its hue moved on by `delta` sixths of the circle. It works also on numbers outside [0, 1].
fn turned([r, g, b]: [f64; 3], delta: f64) -> [f64; 3] {
    let (most, least) = (r.max(g).max(b), r.min(g).min(b));
    let range = most - least;
    if range == 0.0 {
        return [r, g, b];
    }
    let sixth = if r == most {
        (g - b) / range
    } else if g == most {
        (b - r) / range + 2.0
    } else {
        (r - g) / range + 4.0
    };
    let h = (sixth + delta).rem_euclid(6.0);
    let shares = [(h - 3.0).abs() - 1.0, 2.0 - (h - 2.0).abs(), 2.0 - (h - 4.0).abs()];
    shares.map(|share| least + range * share.clamp(0.0, 1.0))
}

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let x = ctx.input(0)?;
    let delta = f64::from(ctx.scalar::<f32>(1, "delta")?) * 6.0;
    check_channels(x, 3)?;
    let y = map_pixels(ctx, x, |pixel| turned(pixel, delta))?;
    ctx.set_output(0, y);
    Ok(())
}
