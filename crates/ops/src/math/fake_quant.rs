//! Numbers rounded to the steps of a quantized type: what the `FakeQuant` ops share (TF: `fake_quant_ops_functor`).

use crate::prelude::*;

/// The least and the greatest step.
#[derive(Clone, Copy)]
pub(super) struct Steps {
    least: f32,
    greatest: f32,
}

/// A range moved so that zero is one of its steps.
#[derive(Clone, Copy)]
pub(super) struct Range {
    pub(super) min: f32,
    pub(super) max: f32,
    scale: f32,
    /// Nothing is between min and max.
    is_zero: bool,
}

impl Steps {
    /// What the attributes `num_bits` and `narrow_range` say.
    ///
    /// Errors: `InvalidArgument` for a number of bits that no step has.
    pub(super) fn of(attrs: &AttrMap) -> Result<Steps> {
        let bits = attrs.int("num_bits")?;
        if !(2..=16).contains(&bits) {
            return Err(invalid_argument(format!("num_bits must be between 2 and 16, inclusive, got {bits}")));
        }
        Ok(Steps { least: if attrs.bool("narrow_range")? { 1.0 } else { 0.0 }, greatest: ((1i64 << bits) - 1) as f32 })
    }

    /// The range from `min` to `max`.
    pub(super) fn range(&self, min: f32, max: f32) -> Range {
        let scale = (max - min) / (self.greatest - self.least);
        let zero = self.least - min / scale;
        let zero = if zero < self.least {
            self.least
        } else if zero > self.greatest {
            self.greatest
        } else {
            zero.round()
        };
        Range { min: (self.least - zero) * scale, max: (self.greatest - zero) * scale, scale, is_zero: min == 0.0 && max == 0.0 }
    }
}

impl Range {
    /// The step that a number comes to.
    pub(super) fn rounded(&self, x: f32) -> f32 {
        if self.is_zero {
            return 0.0;
        }
        let steps = 1.0 / self.scale;
        let zero = (-self.min * steps + 0.5).floor();
        let clamped = x.min(self.max).max(self.min);
        ((clamped - self.min) * steps - zero + 0.5).floor() * self.scale
    }

    /// What a gradient at `x` comes to, for x itself, for min and for max.
    pub(super) fn slopes(&self, x: f32, dy: f32) -> [f32; 3] {
        if self.is_zero || x >= self.min && x <= self.max {
            return [dy, 0.0, 0.0];
        }
        [0.0, if x < self.min { dy } else { 0.0 }, if x > self.max { dy } else { 0.0 }]
    }
}

/// The range that the attributes `min` and `max` say.
///
/// Errors: `InvalidArgument` if it is empty.
pub(super) fn of_attrs(attrs: &AttrMap) -> Result<Range> {
    let (min, max) = (attrs.float("min")?, attrs.float("max")?);
    if min.is_nan() || max.is_nan() || min >= max {
        return Err(invalid_argument(format!("min has to be smaller than max, was: {min} >= {max}")));
    }
    Ok(Steps::of(attrs)?.range(min, max))
}

/// One range for each number of the last dimension of input `x` if there are several: the inputs at `at` and behind it are their ends.
///
/// Errors: `InvalidArgument` if their shapes do not fit.
pub(super) fn of_inputs(ctx: &OpKernelContext, x: usize, at: usize, per_channel: bool) -> Result<Vec<Range>> {
    let steps = Steps::of(&ctx.node.attrs)?;
    let (min, max) = (ctx.input(at)?, ctx.input(at + 1)?);
    let x = ctx.input(x)?;
    for (name, t) in [("min", min), ("max", max)] {
        if !per_channel && t.rank() != 0 {
            return Err(invalid_argument(format!("`{name}` must be rank 0 but is rank {}", t.rank())));
        }
        if per_channel {
            let &[.., channels] = x.dims() else {
                return Err(invalid_argument(format!("inputs must have channels, got shape {}", x.shape())));
            };
            if t.dims() != [channels] {
                return Err(invalid_argument(format!("{name} has incorrect size, expected {channels} was {}", t.shape())));
            }
        }
    }
    Ok(min.as_slice::<f32>()?.iter().zip(max.as_slice::<f32>()?).map(|(a, b)| steps.range(*a, *b)).collect())
}

/// All numbers of a tensor, each with the range of its place in the last dimension.
///
/// Errors: `ResourceExhausted` without memory.
pub(super) fn round_all(x: &Tensor, ranges: &[Range]) -> Result<Tensor> {
    let numbers = x.as_slice::<f32>()?;
    Tensor::build(x.shape().clone(), |out: &mut [f32]| {
        out.iter_mut().zip(numbers).zip(ranges.iter().cycle()).for_each(|((o, x), r)| *o = r.rounded(*x));
        Ok(())
    })
}

/// The gradients of a node that has them at input 0 and its numbers at input 1: for these, and for both ends of each range.
///
/// Errors: `InvalidArgument` if the shapes differ.
pub(super) fn slopes_all(ctx: &OpKernelContext, ranges: &[Range]) -> Result<(Tensor, [Vec<f32>; 2])> {
    let (dy, x) = (ctx.input(0)?, ctx.input(1)?);
    if dy.shape() != x.shape() {
        return Err(invalid_argument("gradient and input must be the same size"));
    }
    let (grads, numbers) = (dy.as_slice::<f32>()?, x.as_slice::<f32>()?);
    let mut ends = [vec![0.0; ranges.len()], vec![0.0; ranges.len()]];
    let dx = Tensor::build(x.shape().clone(), |out: &mut [f32]| {
        let channels = (0..ranges.len()).cycle();
        for (((o, dy), x), channel) in out.iter_mut().zip(grads).zip(numbers).zip(channels) {
            let [own, min, max] = ranges[channel].slopes(*x, *dy);
            *o = own;
            ends[0][channel] += min;
            ends[1][channel] += max;
        }
        Ok(())
    })?;
    Ok((dx, ends))
}

/// A scalar, or a number for each channel.
pub(super) fn ends(values: &[f32], per_channel: bool) -> Result<Tensor> {
    match values {
        [only] if !per_channel => Ok(Tensor::scalar(*only)),
        all => Tensor::vector(all),
    }
}

/// Checks the shapes of ends at the inputs from `at` on.
///
/// Errors: `InvalidArgument` if they cannot be right.
pub(super) fn check_ends(c: &ShapeContext, at: usize, per_channel: bool) -> Result<[PartialShape; 2]> {
    let rank = usize::from(per_channel);
    Ok([c.with_rank(at, rank)?, c.with_rank(at + 1, rank)?])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zero_stays_zero() {
        let steps = Steps { least: 0.0, greatest: 255.0 };
        for (min, max) in [(-1.0, 2.0), (0.1, 5.0), (-7.0, -0.5), (-0.3, 0.7)] {
            assert_eq!(steps.range(min, max).rounded(0.0), 0.0, "{min} {max}");
        }
        assert_eq!(steps.range(0.0, 0.0).rounded(3.0), 0.0);
    }
}
