//! Images farther from or nearer to their mean: what both versions of the op share.

use crate::prelude::*;
use ferroflow_tensor::Element;
use num_traits::AsPrimitive;

/// Each channel of each image, as `mean + factor (x - mean)`, within `bounds`.
fn adjusted<T: Element + AsPrimitive<f64>, Y: Element>(x: &Tensor, factor: f64, bounds: Option<[f64; 2]>) -> Result<Tensor>
where
    f64: AsPrimitive<Y>,
{
    let dims = x.dims();
    let depth = x.shape().dim(dims.len() - 1);
    let image = x.shape().dim(dims.len() - 3) * x.shape().dim(dims.len() - 2) * depth;
    let source = x.as_slice::<T>()?;
    Tensor::build(x.shape().clone(), |out: &mut [Y]| {
        if image == 0 {
            return Ok(());
        }
        let mut means = vec![0f64; depth];
        for (image, out) in source.chunks_exact(image).zip(out.chunks_exact_mut(image)) {
            means.fill(0.0);
            for pixel in image.chunks_exact(depth) {
                means.iter_mut().zip(pixel).for_each(|(m, x)| *m += AsPrimitive::<f64>::as_(*x));
            }
            means.iter_mut().for_each(|m| *m *= depth as f64 / image.len() as f64);
            for (pixel, out) in image.chunks_exact(depth).zip(out.chunks_exact_mut(depth)) {
                for ((x, y), mean) in pixel.iter().zip(out).zip(&means) {
                    let moved = mean + factor * (AsPrimitive::<f64>::as_(*x) - mean);
                    *y = bounds.map_or(moved, |[low, high]| moved.min(high).max(low)).as_();
                }
            }
        }
        Ok(())
    })
}

fn check(x: &Tensor) -> Result<()> {
    if x.rank() < 3 {
        return Err(invalid_argument(format!("input must be at least 3-D, got shape {}", x.shape())));
    }
    Ok(())
}

/// Images of any type within bounds, as float.
///
/// Errors: `InvalidArgument` for tensors that are no images.
pub(super) fn bounded(x: &Tensor, factor: f64, bounds: [f64; 2]) -> Result<Tensor> {
    check(x)?;
    ferroflow_tensor::dispatch!(x.dtype(), [u8, i8, i16, i32, i64, f32, f64] => T, { adjusted::<T, f32>(x, factor, Some(bounds)) },
        else { Err(unsupported("AdjustContrast", x.dtype())) })
}

/// Images of their type.
///
/// Errors: `InvalidArgument` for tensors that are no images.
pub(super) fn unbounded(x: &Tensor, factor: f64) -> Result<Tensor> {
    check(x)?;
    with_float!(x.dtype() => T, { adjusted::<T, T>(x, factor, None) }, else { Err(unsupported("AdjustContrastv2", x.dtype())) })
}
