//! Integers from blocks of the generator: uniform over a range or over all there are.

use super::distribution::fill_blocks;
use crate::prelude::*;
use ferroflow_graph::kernel::StepContext;
use ferroflow_tensor::Philox;

fn wide(low: u32, high: u32) -> u64 {
    u64::from(low) | u64::from(high) << 32
}

/// Integers uniform in `[low, high)`, which are scalars.
///
/// Errors: `InvalidArgument` for an empty range and bounds that are no scalars; `Unimplemented` for other types.
pub(super) fn between(step: &StepContext, generator: &Philox, low: &Tensor, high: &Tensor, shape: Shape) -> Result<Tensor> {
    for (name, t) in [("minval", low), ("maxval", high)] {
        if !t.shape().is_scalar() {
            return Err(invalid_argument(format!("{name} must be 0-D, got shape {}", t.shape())));
        }
    }
    macro_rules! narrow {
        ($ty:ty, $unsigned:ty) => {{
            let (low, high) = (low.to_scalar::<$ty>()?, high.to_scalar::<$ty>()?);
            check(low < high, low, high)?;
            // The range always fits the unsigned type; numbers wrap as in TF.
            let range = (high as $unsigned).wrapping_sub(low as $unsigned);
            Tensor::build::<$ty>(shape, |out| {
                fill_blocks(step, generator, out, 4, |w| w.map(|x| low.wrapping_add((x % range) as $ty)));
                Ok(())
            })
        }};
    }
    macro_rules! broad {
        ($ty:ty) => {{
            let (low, high) = (low.to_scalar::<$ty>()?, high.to_scalar::<$ty>()?);
            check(low < high, low, high)?;
            let range = (high as u64).wrapping_sub(low as u64);
            let make = |a: u32, b: u32| low.wrapping_add((wide(a, b) % range) as $ty);
            Tensor::build::<$ty>(shape, |out| {
                fill_blocks(step, generator, out, 2, |w| [make(w[0], w[1]), make(w[2], w[3]), 0, 0]);
                Ok(())
            })
        }};
    }
    fn check(is_range: bool, low: impl std::fmt::Display, high: impl std::fmt::Display) -> Result<()> {
        if is_range { Ok(()) } else { Err(invalid_argument(format!("Need minval < maxval, got {low} >= {high}"))) }
    }
    match low.dtype() {
        DType::Int32 => narrow!(i32, u32),
        DType::UInt32 => narrow!(u32, u32),
        DType::Int64 => broad!(i64),
        DType::UInt64 => broad!(u64),
        other => Err(unsupported("a random op", other)),
    }
}

/// Integers uniform over all that the type has.
///
/// Errors: `ResourceExhausted` without memory; `Unimplemented` for other types.
pub(super) fn full(step: &StepContext, generator: &Philox, dtype: DType, shape: Shape) -> Result<Tensor> {
    macro_rules! fill {
        ($ty:ty, $per:literal, $make:expr) => {
            Tensor::build::<$ty>(shape, |out| {
                fill_blocks(step, generator, out, $per, $make);
                Ok(())
            })
        };
    }
    match dtype {
        DType::Int32 => fill!(i32, 4, |w| w.map(|x| x as i32)),
        DType::UInt32 => fill!(u32, 4, |w| w),
        DType::Int64 => fill!(i64, 2, |w| [wide(w[0], w[1]) as i64, wide(w[2], w[3]) as i64, 0, 0]),
        DType::UInt64 => fill!(u64, 2, |w| [wide(w[0], w[1]), wide(w[2], w[3]), 0, 0]),
        other => Err(unsupported("a random op", other)),
    }
}
