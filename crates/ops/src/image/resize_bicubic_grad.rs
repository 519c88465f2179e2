//! `ResizeBicubicGrad`: the gradient of `ResizeBicubic`.

use super::cubic::fours;
use super::resizing::{Scale, images};
use crate::prelude::*;
use ferroflow_tensor::Element;
use num_traits::AsPrimitive;

pub const OP: OpSpec = OpSpec {
    signature: "ResizeBicubicGrad(grads: float, original_image: T) -> (output: T)",
    attrs: "T: type in {float, double}; align_corners: bool = false; half_pixel_centers: bool = false",
    doc: "The gradient of the original image: that of each pixel of the resized one, spread over the sixteen it is made of.",
    shape: |c| {
        let original = c.with_rank(1, 4)?;
        c.set_output(0, original);
        Ok(())
    },
    kernels: &[Kernel::cpu(compute).on("T", WIDE_FLOATS)],
    // The weights are floats, for doubles too.
    tolerance: Tolerance::Within(1e-5),
    ..WORDS
};

fn spread<T: Element>(dy: &Tensor, original: &Tensor, scale: Scale) -> Result<Tensor>
where
    f64: AsPrimitive<T>,
{
    let ([batch, rows, columns, depth], [_, height, width, _]) = (images(dy)?, images(original)?);
    let (vertical, horizontal) = (fours(scale, height, rows), fours(scale, width, columns));
    let mut sum = crate::sparse::coo::filled(original.num_elements(), 0f64)?;
    let mut grads = dy.as_slice::<f32>()?.chunks_exact(depth.max(1));
    for b in 0..batch {
        for v in &vertical {
            for h in &horizontal {
                let Some(pixel) = grads.next() else { continue };
                for (y, of_row) in v.at.iter().zip(v.weight) {
                    for (x, of_column) in h.at.iter().zip(h.weight) {
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
    let dx = ferroflow_tensor::dispatch!(original.dtype(), [f32, f64] => T, { spread::<T>(dy, original, scale)? },
        else { return Err(unsupported("ResizeBicubicGrad", original.dtype())) });
    ctx.set_output(0, dx);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_the_gradient_of_the_resizing() {
        let x: Vec<f32> = (0..24).map(|i| (i * 7 % 11) as f32 / 11.0).collect();
        for centers in [false, true] {
            let resize = |x: &[f32]| {
                let node = OpTester::new(&super::super::resize_bicubic::OP).input(tensor(&[1, 3, 4, 2], x)).input(tensor(&[2], &[5i32, 3]));
                node.attr("half_pixel_centers", centers).run_one().unwrap()
            };
            let y = resize(&x);
            let dy: Vec<f32> = (0..y.num_elements()).map(|i| (i * 5 % 7) as f32 - 3.0).collect();
            let node = OpTester::new(&OP).input(tensor(y.dims(), &dy)).input(tensor(&[1, 3, 4, 2], &x));
            let dx = node.attr("half_pixel_centers", centers).run_one().unwrap();
            for i in 0..x.len() {
                // The op is linear: a step of 1 gives the derivative itself.
                let mut moved = x.clone();
                moved[i] += 1.0;
                let change = resize(&moved);
                let change = change.as_slice::<f32>().unwrap().iter().zip(y.as_slice::<f32>().unwrap()).zip(&dy);
                let expected: f32 = change.map(|((a, b), d)| (a - b) * d).sum();
                assert!((dx.as_slice::<f32>().unwrap()[i] - expected).abs() < 1e-4, "{i}");
            }
        }
    }
}
