//! `ResizeNearestNeighbor`: images resized, by the nearest pixel.

use super::resizing::{PIXELS, Scale, images, resized_shape, size};
use crate::array::blocks::Blocks;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "ResizeNearestNeighbor(images: T, size: int32) -> (resized_images: T)",
    attrs: "T: type in {int8, uint8, int16, uint16, int32, int64, half, float, double, bfloat16}; align_corners: bool = false; half_pixel_centers: bool = false",
    doc: "`images` with `size` rows and columns; each pixel is the one nearest to its place.",
    shape: resized_shape,
    kernels: &[Kernel::cpu(compute).on("T", PIXELS)],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let scale = Scale::of(&ctx.node.attrs)?;
    let x = ctx.input(0)?;
    let [batch, height, width, depth] = images(x)?;
    let [rows, columns] = size(ctx, 1)?;
    let (vertical, horizontal) = (scale.nearest(height, rows), scale.nearest(width, columns));
    let source = |at: &[usize]| Some((at[0] * height + vertical[at[1]]) * width + horizontal[at[2]]);
    let shape = Shape::from_lens(&[batch, rows, columns, depth])?;
    let y = Blocks { dims: vec![batch, rows, columns], inner: depth, source }.run(x, shape)?;
    ctx.set_output(0, y);
    Ok(())
}
