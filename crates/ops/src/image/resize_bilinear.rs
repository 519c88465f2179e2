//! `ResizeBilinear`: images resized, between pixels linearly.

use super::resizing::{PIXELS, Scale, images, resized_shape, size};
use crate::parallel::pool;
use crate::prelude::*;
use ferroflow_graph::kernel::StepContext;
use ferroflow_math::for_each_part;
use ferroflow_tensor::Element;
use num_traits::AsPrimitive;

pub const OP: OpSpec = OpSpec {
    signature: "ResizeBilinear(images: T, size: int32) -> (resized_images: float)",
    attrs: "T: type in {int8, uint8, int16, uint16, int32, int64, bfloat16, half, float, double, bfloat16}; align_corners: bool = false; half_pixel_centers: bool = false",
    doc: "`images` with `size` rows and columns; each pixel is the weighted mean of the four around its place.",
    shape: resized_shape,
    kernels: &[Kernel::cpu(compute).on("T", PIXELS)],
    tolerance: Tolerance::Rounding,
    ..WORDS
};

fn resize<T: Element + AsPrimitive<f32>>(step: &StepContext, x: &Tensor, [rows, columns]: [usize; 2], scale: Scale) -> Result<Tensor> {
    let [batch, height, width, depth] = images(x)?;
    let (vertical, horizontal) = (scale.between(height, rows), scale.between(width, columns));
    let x = x.as_slice::<T>()?;
    Tensor::build(Shape::from_lens(&[batch, rows, columns, depth])?, |out: &mut [f32]| {
        if out.is_empty() {
            return Ok(());
        }
        for_each_part(&pool(step), out, batch * rows, 1, &|range, part| {
            for (line, out) in range.zip(part.chunks_exact_mut(columns * depth)) {
                let (b, v) = (line / rows, vertical[line % rows]);
                let row = |y: usize| &x[(b * height + y) * width * depth..][..width * depth];
                let (top, bottom) = (row(v.lower), row(v.upper));
                for (h, pixel) in horizontal.iter().zip(out.chunks_exact_mut(depth)) {
                    for (d, o) in pixel.iter_mut().enumerate() {
                        let at = |row: &[T], x: usize| -> f32 { row[x * depth + d].as_() };
                        let mean = |row: &[T]| at(row, h.lower) + (at(row, h.upper) - at(row, h.lower)) * h.weight;
                        let (upper, lower) = (mean(top), mean(bottom));
                        *o = upper + (lower - upper) * v.weight;
                    }
                }
            }
        });
        Ok(())
    })
}

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let scale = Scale::of(&ctx.node.attrs)?;
    let (x, size) = (ctx.input(0)?, size(ctx, 1)?);
    let y = with_real!(x.dtype() => T, { resize::<T>(ctx.step, x, size, scale)? }, else { return Err(unsupported("ResizeBilinear", x.dtype())) });
    ctx.set_output(0, y);
    Ok(())
}
