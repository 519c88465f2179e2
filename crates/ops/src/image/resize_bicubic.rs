//! `ResizeBicubic`: images resized, between pixels by cubic functions.

use super::cubic::fours;
use super::resizing::{PIXELS, Scale, images, resized_shape, size};
use crate::parallel::pool;
use crate::prelude::*;
use ferroflow_graph::kernel::StepContext;
use ferroflow_math::for_each_part;
use ferroflow_tensor::Element;
use num_traits::AsPrimitive;

pub const OP: OpSpec = OpSpec {
    signature: "ResizeBicubic(images: T, size: int32) -> (resized_images: float)",
    attrs: "T: type in {int8, uint8, int16, uint16, int32, int64, half, float, double, bfloat16}; align_corners: bool = false; half_pixel_centers: bool = false",
    doc: "`images` with `size` rows and columns; each pixel is a weighted sum of the sixteen around its place.",
    shape: resized_shape,
    gradient: Gradient::Of(backward),
    kernels: &[Kernel::cpu(compute).on("T", PIXELS)],
    tolerance: Tolerance::Rounding,
    ..WORDS
};

fn resize<T: Element + AsPrimitive<f32>>(step: &StepContext, x: &Tensor, [rows, columns]: [usize; 2], scale: Scale) -> Result<Tensor> {
    let [batch, height, width, depth] = images(x)?;
    let (vertical, horizontal) = (fours(scale, height, rows), fours(scale, width, columns));
    let x = x.as_slice::<T>()?;
    Tensor::build(Shape::from_lens(&[batch, rows, columns, depth])?, |out: &mut [f32]| {
        if out.is_empty() {
            return Ok(());
        }
        for_each_part(&pool(step), out, batch * rows, 1, &|range, part| {
            // One row of the image, still as wide as it was.
            let mut row = vec![0f32; width * depth];
            for (line, out) in range.zip(part.chunks_exact_mut(columns * depth)) {
                let (b, v) = (line / rows, &vertical[line % rows]);
                row.fill(0.0);
                for (y, weight) in v.at.iter().zip(v.weight) {
                    let source = &x[(b * height + y) * width * depth..][..width * depth];
                    row.iter_mut().zip(source).for_each(|(r, x)| *r += weight * AsPrimitive::<f32>::as_(*x));
                }
                for (h, pixel) in horizontal.iter().zip(out.chunks_exact_mut(depth)) {
                    for (d, o) in pixel.iter_mut().enumerate() {
                        *o = h.at.iter().zip(h.weight).map(|(x, weight)| weight * row[x * depth + d]).sum();
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
    let y = with_real!(x.dtype() => T, { resize::<T>(ctx.step, x, size, scale)? }, else { return Err(unsupported("ResizeBicubic", x.dtype())) });
    ctx.set_output(0, y);
    Ok(())
}

fn backward(op: &Operation, grads: &OutGrads) -> Result<Vec<Option<Grad>>> {
    let x = op.input(0);
    if !WIDE_FLOATS.contains(&x.dtype()) {
        return Ok(vec![None, None]);
    }
    let (align, centers) = crate::math::backward::flags(op, "align_corners", "half_pixel_centers")?;
    let grad = x.graph().op("ResizeBicubicGrad").inputs([grads.dense(0), x.clone()]);
    let dx = grad.attr("align_corners", align).attr("half_pixel_centers", centers).output();
    Ok(vec![Some(dx.into()), None])
}
