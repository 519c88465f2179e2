//! `ResizeArea`: images resized; each pixel is the mean of the area that it stands for.

use super::resizing::{PIXELS, Scale, images, resized_shape, size};
use crate::prelude::*;
use ferroflow_tensor::Element;
use num_traits::AsPrimitive;

pub const OP: OpSpec = OpSpec {
    signature: "ResizeArea(images: T, size: int32) -> (resized_images: float)",
    attrs: "T: type in {int8, uint8, int16, uint16, int32, int64, half, float, double, bfloat16}; align_corners: bool = false",
    doc: "`images` with `size` rows and columns; each pixel is the mean of the pixels under it, those at the edge weighted by how much of them is covered.",
    shape: resized_shape,
    kernels: &[Kernel::cpu(compute).on("T", PIXELS)],
    tolerance: Tolerance::Rounding,
    ..WORDS
};

/// The places under one pixel of the result, each with how much of it is covered. Places behind the edge are the edge's.
fn under(i: usize, factor: f32, from: usize) -> Vec<(usize, f32)> {
    let (start, end) = (i as f32 * factor, (i + 1) as f32 * factor);
    let (first, last) = (start.floor() as i64, end.ceil() as i64);
    let share = |at: i64| match (at as f32) < start {
        true if (at + 1) as f32 > end => factor,
        true => (at + 1) as f32 - start,
        false if (at + 1) as f32 > end => end - at as f32,
        false => 1.0,
    };
    (first..last).map(|at| (at.clamp(0, from as i64 - 1) as usize, share(at))).collect()
}

fn mean<T: Element + AsPrimitive<f32>>(x: &Tensor, [rows, columns]: [usize; 2], scale: Scale) -> Result<Tensor> {
    let [batch, height, width, depth] = images(x)?;
    let (tall, wide) = (scale.factor(height, rows), scale.factor(width, columns));
    let (vertical, horizontal): (Vec<_>, Vec<_>) =
        ((0..rows).map(|i| under(i, tall, height)).collect(), (0..columns).map(|i| under(i, wide, width)).collect());
    let share = 1.0 / (tall * wide);
    let x = x.as_slice::<T>()?;
    Tensor::build(Shape::from_lens(&[batch, rows, columns, depth])?, |out: &mut [f32]| {
        for (i, pixel) in out.chunks_exact_mut(depth.max(1)).enumerate() {
            let (b, v, h) = (i / (rows * columns), &vertical[i / columns % rows], &horizontal[i % columns]);
            for (d, o) in pixel.iter_mut().enumerate() {
                let row = |y: usize| -> f32 {
                    h.iter().map(|&(x_, part)| part * AsPrimitive::<f32>::as_(x[((b * height + y) * width + x_) * depth + d])).sum()
                };
                *o = v.iter().map(|&(y, part)| part * row(y)).sum::<f32>() * share;
            }
        }
        Ok(())
    })
}

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let mut attrs = ctx.node.attrs.clone();
    attrs.insert("half_pixel_centers", false);
    let scale = Scale::of(&attrs)?;
    let (x, size) = (ctx.input(0)?, size(ctx, 1)?);
    let y = with_real!(x.dtype() => T, { mean::<T>(x, size, scale)? }, else { return Err(unsupported("ResizeArea", x.dtype())) });
    ctx.set_output(0, y);
    Ok(())
}
