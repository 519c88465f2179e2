//! Colours as red, green and blue or as hue, saturation and value, pixel by pixel (TF: `colorspace_op.h`, `adjust_hsv_gpu.cu.h`).

use crate::prelude::*;
use ferroflow_math::for_each_part;
use ferroflow_tensor::Element;
use ferroflow_tensor::error::failed_precondition;
use num_traits::AsPrimitive;

/// A pixel's three numbers.
pub(super) type Pixel = [f64; 3];

/// Hue, saturation and value of red, green and blue.
pub(super) fn to_hsv([r, g, b]: Pixel) -> Pixel {
    let (value, least) = (r.max(g).max(b), r.min(g).min(b));
    let range = value - least;
    let saturation = if value > 0.0 { range / value } else { 0.0 };
    let norm = 1.0 / (6.0 * range);
    let hue = if range <= 0.0 {
        0.0
    } else if r == value {
        norm * (g - b)
    } else if g == value {
        norm * (b - r) + 2.0 / 6.0
    } else {
        norm * (r - g) + 4.0 / 6.0
    };
    [if hue < 0.0 { hue + 1.0 } else { hue }, saturation, value]
}

/// Red, green and blue of hue, saturation and value.
pub(super) fn to_rgb([hue, saturation, value]: Pixel) -> Pixel {
    let h = hue * 6.0;
    let shares = [(h - 3.0).abs() - 1.0, 2.0 - (h - 2.0).abs(), 2.0 - (h - 4.0).abs()];
    shares.map(|share| ((1.0 - saturation) + saturation * share.clamp(0.0, 1.0)) * value)
}

/// A tensor whose last dimension has three channels, with `f` applied to each pixel.
///
/// Errors: `Unimplemented` for types without a kernel. The caller has checked the channels.
pub(super) fn map_pixels(ctx: &OpKernelContext, x: &Tensor, f: impl Fn(Pixel) -> Pixel + Sync) -> Result<Tensor> {
    fn run<T: Element + AsPrimitive<f64>>(ctx: &OpKernelContext, x: &Tensor, f: impl Fn(Pixel) -> Pixel + Sync) -> Result<Tensor>
    where
        f64: AsPrimitive<T>,
    {
        let source = x.as_slice::<T>()?;
        Tensor::build(x.shape().clone(), |out: &mut [T]| {
            let n = out.len() / 3;
            for_each_part(&crate::parallel::pool(ctx.step), out, n, 4096, &|range, part| {
                for (i, out) in range.zip(part.chunks_exact_mut(3)) {
                    let pixel = f([0, 1, 2].map(|c| source[3 * i + c].as_()));
                    out.iter_mut().zip(pixel).for_each(|(o, p)| *o = p.as_());
                }
            });
            Ok(())
        })
    }
    with_float!(x.dtype() => T, { run::<T>(ctx, x, f) }, else { Err(unsupported(ctx.node.op_name(), x.dtype())) })
}

/// Checks that a tensor's last dimension has three channels.
///
/// Errors: `FailedPrecondition` if it has not; `InvalidArgument` for a lower rank.
pub(super) fn check_channels(x: &Tensor, least_rank: usize) -> Result<()> {
    if x.rank() < least_rank {
        return Err(invalid_argument(format!("input must be at least {least_rank}-D, got shape {}", x.shape())));
    }
    match x.dims().last() {
        Some(3) => Ok(()),
        // The ops of colours in images call it a bad argument.
        Some(n) if least_rank > 1 => Err(invalid_argument(format!("input must have 3 channels but instead has {n} channels."))),
        other => Err(failed_precondition(format!("input must have 3 channels but input only has {} channels.", other.unwrap_or(&0)))),
    }
}

/// The shape of what `map_pixels` gives, for tensors of at least this rank.
///
/// Errors: `InvalidArgument` for tensors whose last dimension cannot have three channels.
pub(super) fn pixels_shape<const RANK: usize>(c: &mut ShapeContext) -> Result<()> {
    let x = c.with_rank_at_least(0, RANK)?;
    if let Some(last) = x.rank().and_then(|r| x.dim(r - 1)).filter(|n| *n != 3) {
        return Err(invalid_argument(format!("Dimension must be 3 but is {last}")));
    }
    c.set_output(0, x);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn back_and_forth_changes_nothing() {
        for r in 0..6 {
            for g in 0..6 {
                for b in 0..6 {
                    let pixel = [r, g, b].map(|n| f64::from(n) / 5.0);
                    let back = to_rgb(to_hsv(pixel));
                    assert!(pixel.iter().zip(back).all(|(a, b)| (a - b).abs() < 1e-12), "{pixel:?} {back:?}");
                }
            }
        }
    }
}
