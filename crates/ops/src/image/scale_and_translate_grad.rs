//! `ScaleAndTranslateGrad`: the gradient of `ScaleAndTranslate`.

use super::resizing::images;
use super::spans::{Sampling, spans, transform};
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "ScaleAndTranslateGrad(grads: T, original_image: T, scale: float, translation: float) -> (output: T)",
    attrs: "T: type in {float}; kernel_type: string = \"lanczos3\"; antialias: bool = true",
    doc: "The gradient of the original image: that of each pixel of the other one, spread over those it is made of.",
    shape: |c| {
        let original = c.with_rank(1, 4)?;
        c.set_output(0, original);
        Ok(())
    },
    kernels: &[Kernel::cpu(compute)],
    tolerance: Tolerance::Rounding,
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let (dy, original) = (ctx.input(0)?, ctx.input(1)?);
    let ([batch, rows, columns, depth], [of, height, width, channels]) = (images(dy)?, images(original)?);
    if batch != of || depth != channels {
        return Err(invalid_argument(format!("images of shape {} cannot have been scaled to {}", original.shape(), dy.shape())));
    }
    let attrs = &ctx.node.attrs;
    let (kernel, antialias) = (Sampling::of(attrs)?, attrs.bool("antialias")?);
    let [(row_scale, row_move), (column_scale, column_move)] = transform(ctx, 2)?;
    let vertical = spans(kernel, antialias, height, rows, row_scale, row_move);
    let horizontal = spans(kernel, antialias, width, columns, column_scale, column_move);
    let mut grads = dy.as_slice::<f32>()?.chunks_exact(depth.max(1));
    let dx = Tensor::build(original.shape().clone(), |dx: &mut [f32]| {
        dx.fill(0.0);
        for b in 0..batch {
            for v in &vertical {
                for h in &horizontal {
                    let Some(pixel) = grads.next() else { continue };
                    for (y, of_row) in (v.start..).zip(&v.weights) {
                        for (x, of_column) in (h.start..).zip(&h.weights) {
                            let place = &mut dx[((b * height + y) * width + x) * depth..][..depth];
                            place.iter_mut().zip(pixel).for_each(|(s, g)| *s += g * of_row * of_column);
                        }
                    }
                }
            }
        }
        Ok(())
    })?;
    ctx.set_output(0, dx);
    Ok(())
}
