//! Normal numbers between two bounds: three ways of drawing until a number is accepted, as TF chooses among them
//! (TF: `TruncatedNormalFunctor`).

use super::distribution::RandomFloat;
use crate::prelude::*;
use ferroflow_tensor::Philox;
use num_traits::AsPrimitive;

/// How often in a row a number may be refused.
const TRIES: usize = 1000;
/// With a bound so far from the mean, in deviations, and the mean within, normal numbers are drawn.
const FAR: f64 = 1.7;

/// A distribution's parameters.
#[derive(Clone, Copy)]
pub(super) struct Truncated {
    pub(super) mean: f64,
    pub(super) deviation: f64,
    pub(super) low: f64,
    pub(super) high: f64,
}

/// How many blocks of the generator belong to so many numbers of each of so many distributions.
pub(super) fn blocks(distributions: usize, numbers: usize) -> u128 {
    distributions as u128 * 2 * TRIES as u128 * (numbers as u128 + 3) / 4
}

impl Truncated {
    /// Fills `out`, going on where the generator is.
    ///
    /// Errors: `InvalidArgument` for parameters that no distribution has.
    pub(super) fn fill<T: RandomFloat + AsPrimitive<f64>>(
        self,
        generator: &mut Philox,
        mut put: impl FnMut(usize, f64),
        n: usize,
    ) -> Result<()> {
        let Truncated { mean, mut deviation, mut low, mut high } = self;
        let invalid = || invalid_argument("Invalid parameters");
        if !(deviation > 0.0 && low < high && (low.is_finite() || high.is_finite())) {
            return Err(invalid());
        }
        // Turned round, so that an only bound is the lower one, or both lie above the mean.
        if low == f64::NEG_INFINITY || high < mean {
            (low, high, deviation) = (high, low, -deviation);
        }
        let (low, high) = ((low - mean) / deviation, (high - mean) / deviation);
        if low.is_nan() || high.is_nan() || low >= high {
            return Err(invalid());
        }
        let root = (low * low + 4.0).sqrt();
        let cutoff = 2.0 * (0.5 + low * (low - root) / 4.0).exp() / (low + root);
        let (mut filled, mut refused) = (0, 0);
        let mut accept = |z: f64, is_good: bool| -> bool {
            if is_good || refused + 1 >= TRIES {
                put(filled, z * deviation + mean);
                filled += 1;
                refused = 0;
            } else {
                refused += 1;
            }
            filled == n
        };
        if n == 0 {
            return Ok(());
        }
        let wide = |block: [T; 4]| block.map(AsPrimitive::<f64>::as_);
        if (low < -FAR && high >= 0.0) || (high > FAR && low <= 0.0) {
            loop {
                for z in &wide(T::normal(generator.next_block()))[..T::PER_BLOCK] {
                    if accept(*z, (low..=high).contains(z)) {
                        return Ok(());
                    }
                }
            }
        } else if high - low < cutoff {
            let plus = if low < 0.0 { 0.0 } else { low * low };
            loop {
                let (z, u) = (wide(T::uniform(generator.next_block())), wide(T::uniform(generator.next_block())));
                for (z, u) in z.iter().zip(u).take(T::PER_BLOCK) {
                    let z = z * (high - low) + low;
                    if accept(z, u <= ((plus - z * z) / 2.0).exp()) {
                        return Ok(());
                    }
                }
            }
        } else {
            let alpha = (low + root) / 2.0;
            loop {
                let drawn = wide(T::uniform(generator.next_block()));
                for pair in drawn[..T::PER_BLOCK].chunks_exact(2) {
                    let z = -pair[0].ln() / alpha + low;
                    let x = if low < alpha { alpha - z } else { low - alpha };
                    if accept(z, pair[1] <= (-x * x / 2.0).exp() && z < high) {
                        return Ok(());
                    }
                }
            }
        }
    }
}

/// The elements of a tensor of parameters.
///
/// Errors: `Unimplemented` for types that are not floating-point.
pub(super) fn wide(t: &Tensor) -> Result<Vec<f64>> {
    with_float!(t.dtype() => T, { Ok(t.as_slice::<T>()?.iter().map(|x| AsPrimitive::<f64>::as_(*x)).collect()) }, else { Err(unsupported("a truncated normal distribution", t.dtype())) })
}
