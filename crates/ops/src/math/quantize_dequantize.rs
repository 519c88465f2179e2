//! Numbers that lose what a quantized type cannot hold: what the `QuantizeAndDequantize` ops share (TF: `quantize_and_dequantize_op`).

use crate::prelude::*;
use ferroflow_tensor::Element;
use num_traits::Float;

/// What a node asks for.
pub(super) struct Quantizer {
    pub(super) signed: bool,
    pub(super) bits: i64,
    pub(super) range_given: bool,
    /// Halves go up instead of to the even step.
    pub(super) half_up: bool,
    pub(super) narrow: bool,
    /// Each place along this dimension has a range of its own.
    pub(super) axis: Option<usize>,
}

impl Quantizer {
    /// What the attributes of a node say.
    ///
    /// Errors: `InvalidArgument` for numbers that make no sense.
    pub(super) fn of(attrs: &AttrMap, bits: i64) -> Result<Quantizer> {
        let or = |name: &str, or: i64| if attrs.contains(name) { attrs.int(name) } else { Ok(or) };
        let signed = attrs.bool("signed_input")?;
        if !(i64::from(signed) + 1..=62 + i64::from(signed)).contains(&bits) || bits <= 0 {
            return Err(invalid_argument(format!("num_bits is out of range: {bits} with signed_input_ {signed}")));
        }
        let axis = or("axis", -1)?;
        if axis < -1 {
            return Err(invalid_argument(format!("Axis must be at least -1. Found {axis}")));
        }
        Ok(Quantizer {
            signed,
            bits,
            range_given: attrs.bool("range_given")?,
            half_up: attrs.contains("round_mode") && attrs.str("round_mode")? == "HALF_UP",
            narrow: attrs.contains("narrow_range") && attrs.bool("narrow_range")?,
            axis: usize::try_from(axis).ok(),
        })
    }

    fn round<T: Float>(&self, x: T) -> T {
        let half = T::from(0.5).unwrap_or_else(T::zero);
        let up = (x + half).floor();
        if self.half_up {
            return up;
        }
        let is_half = (x + half) == up;
        let two = T::one() + T::one();
        if is_half && (up / two).floor() * two != up { up - T::one() } else { (x + half).floor() }
    }

    /// The numbers of one range, which have been seen to lie between `min` and `max` or are to be brought there.
    fn quantize<T: Float>(&self, numbers: impl Iterator<Item = T>, mut min: T, mut max: T, mut write: impl FnMut(usize, T)) {
        let number = |x: i64| T::from(x).unwrap_or_else(T::zero);
        let bits = self.bits - i64::from(self.signed);
        let least = if self.signed { number(-(1i64 << bits) + i64::from(self.narrow)) } else { T::zero() };
        let greatest = number((1i64 << bits) - 1);
        // As large as keeps both ends within the steps, while zero stays zero.
        let scale = |step: T, end: T| if step * end > T::zero() { step / end } else { T::max_value() };
        let (below, above) = (scale(least, min), scale(greatest, max));
        let (scale, inverse) = if below < above {
            let inverse = min / least;
            max = greatest * inverse;
            (below, inverse)
        } else {
            let inverse = max / greatest;
            min = least * inverse;
            (above, inverse)
        };
        for (i, x) in numbers.enumerate() {
            let x = if self.range_given { x.min(max).max(min) } else { x };
            write(i, self.round(x * scale) * inverse);
        }
    }

    /// All numbers of `x`, with the ranges of `min` and `max` if these are given.
    ///
    /// Errors: `InvalidArgument` for ranges that do not fit.
    pub(super) fn apply<T: Element + Float>(&self, x: &Tensor, min: &[T], max: &[T]) -> Result<Tensor> {
        let (channels, inner) = match self.axis {
            None => (1, 1),
            Some(axis) if axis < x.rank() => (x.shape().dim(axis), x.dims()[axis + 1..].iter().product::<i64>() as usize),
            Some(axis) => {
                return Err(invalid_argument(format!(
                    "Axis requested is larger than input dimensions. Axis: {axis} Input Dimensions: {}",
                    x.rank()
                )));
            }
        };
        if self.range_given {
            if min.len() != channels || max.len() != channels {
                return Err(invalid_argument(format!(
                    "input_min and input_max must have {channels} elements, got {} and {}",
                    min.len(),
                    max.len()
                )));
            }
            if min.iter().zip(max).any(|(a, b)| a.is_nan() || b.is_nan() || a > b) {
                return Err(invalid_argument("Invalid range: input_min > input_max"));
            }
        }
        let numbers = x.as_slice::<T>()?;
        Tensor::build(x.shape().clone(), |out: &mut [T]| {
            for channel in 0..channels {
                let places = || {
                    let all = self.axis.is_none();
                    (0..numbers.len()).filter(move |i| all || i / inner.max(1) % channels == channel)
                };
                let own = || places().map(|i| numbers[i]);
                let (low, high) = if self.range_given {
                    (min[channel], max[channel])
                } else {
                    own().fold((T::infinity(), T::neg_infinity()), |(a, b), x| (a.min(x), b.max(x)))
                };
                let at: Vec<usize> = places().collect();
                self.quantize(own(), low, high, |i, y| out[at[i]] = y);
            }
            Ok(())
        })
    }

    /// Sets output 0 for the numbers at input 0 with the ends of the range at inputs 1 and 2.
    ///
    /// Errors: as [`Quantizer::apply`].
    pub(super) fn compute(&self, ctx: &mut OpKernelContext) -> Result<()> {
        let (x, min, max) = (ctx.input(0)?, ctx.input(1)?, ctx.input(2)?);
        // Only the version whose number of bits is an input takes the ends of several ranges.
        if self.range_given && ctx.num_inputs() == 3 {
            for (name, t) in [("input_min", min), ("input_max", max)] {
                if t.rank() != 0 {
                    return Err(invalid_argument(format!("{name} must be a scalar.")));
                }
            }
        }
        let y = match x.dtype() {
            DType::Float => self.apply::<f32>(x, min.as_slice()?, max.as_slice()?)?,
            DType::Double => self.apply::<f64>(x, min.as_slice()?, max.as_slice()?)?,
            other => return Err(unsupported(ctx.node.op_name(), other)),
        };
        ctx.set_output(0, y);
        Ok(())
    }
}

/// The shape of the numbers; the ends of their range are scalars, or one for each place along the axis.
///
/// Errors: `InvalidArgument` for inputs of other ranks.
pub(super) fn shape(c: &mut ShapeContext) -> Result<()> {
    let axis = c.node().attrs.int("axis")?;
    if axis < -1 {
        return Err(invalid_argument(format!("axis should be at least -1, got {axis}")));
    }
    let rank = usize::from(axis >= 0);
    (1..3).try_for_each(|i| c.with_rank(i, rank).map(drop))?;
    shape::unchanged(c)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn quantizer(half_up: bool) -> Quantizer {
        Quantizer { signed: true, bits: 8, range_given: false, half_up, narrow: false, axis: None }
    }

    #[test]
    fn halves_go_up_or_to_the_even_step() {
        let even = [0.5f32, 1.5, 2.5, -0.5, -1.5, 0.4].map(|x| quantizer(false).round(x));
        assert_eq!(even, [0.0, 2.0, 2.0, 0.0, -2.0, 0.0]);
        let up = [0.5f32, 1.5, 2.5, -0.5, -1.5].map(|x| quantizer(true).round(x));
        assert_eq!(up, [1.0, 2.0, 3.0, 0.0, -1.0]);
    }
}
