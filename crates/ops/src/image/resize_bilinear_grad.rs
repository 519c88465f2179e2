//! `ResizeBilinearGrad`: the gradient of `ResizeBilinear`.

use super::resizing::{Scale, images};
use crate::prelude::*;
use ferroflow_tensor::Element;
use num_traits::AsPrimitive;

pub const OP: OpSpec = OpSpec {
    signature: "ResizeBilinearGrad(grads: float, original_image: T) -> (output: T)",
    attrs: "T: type in {float, bfloat16, half, double}; align_corners: bool = false; half_pixel_centers: bool = false",
    doc: "The gradient of the original image: that of each pixel of the resized one, spread over the four it is made of.",
    shape,
    kernels: &[Kernel::cpu(compute).on("T", FLOATS)],
    tolerance: Tolerance::Rounding,
    ..WORDS
};

fn spread<T: Element>(dy: &Tensor, original: &Tensor, scale: Scale) -> Result<Tensor>
where
    f64: AsPrimitive<T>,
{
    let ([batch, rows, columns, depth], [_, height, width, _]) = (images(dy)?, images(original)?);
    let (vertical, horizontal) = (scale.between(height, rows), scale.between(width, columns));
    let mut sum = vec![0f64; batch * height * width * depth];
    let mut grads = dy.as_slice::<f32>()?.chunks_exact(depth.max(1));
    for b in 0..batch {
        for v in &vertical {
            for h in &horizontal {
                let Some(pixel) = grads.next() else { continue };
                for (y, of_row) in [(v.lower, 1.0 - v.weight), (v.upper, v.weight)] {
                    for (x, of_column) in [(h.lower, 1.0 - h.weight), (h.upper, h.weight)] {
                        let place = &mut sum[((b * height + y) * width + x) * depth..][..depth];
                        place.iter_mut().zip(pixel).for_each(|(s, g)| *s += f64::from(g * of_row * of_column));
                    }
                }
            }
        }
    }
    Tensor::from_slice(original.shape().clone(), &sum.iter().map(|s| s.as_()).collect::<Vec<T>>())
}

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let scale = Scale::of(&ctx.node.attrs)?;
    let (dy, original) = (ctx.input(0)?, ctx.input(1)?);
    let (resized, before) = (images(dy)?, images(original)?);
    if resized[0] != before[0] || resized[3] != before[3] {
        return Err(invalid_argument(format!("images of shape {} cannot have been resized to {}", original.shape(), dy.shape())));
    }
    let dx = with_float!(original.dtype() => T, { spread::<T>(dy, original, scale)? }, else { return Err(unsupported("ResizeBilinearGrad", original.dtype())) });
    ctx.set_output(0, dx);
    Ok(())
}

fn shape(c: &mut ShapeContext) -> Result<()> {
    let original = c.input(1);
    c.set_output(0, original);
    Ok(())
}
