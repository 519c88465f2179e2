//! Counting how often each number occurs (TF: `BincountOp`, `DenseBincountOp`).

use crate::prelude::*;
use num_traits::One;
use std::ops::Add;

/// The argument `size`.
///
/// Errors: `InvalidArgument` if it is no scalar or negative.
pub(crate) fn bin_count(t: &Tensor) -> Result<usize> {
    if t.rank() != 0 {
        return Err(invalid_argument(format!("Shape must be rank 0 but is rank {}", t.rank())));
    }
    let n = t.to_i64()?;
    usize::try_from(n).map_err(|_| invalid_argument(format!("size ({n}) must be non-negative")))
}

/// bins[row, v] = how often `v` occurs in the row, or the sum of the weights there; numbers beyond the bins are left out. With `binary`
/// only whether it occurs counts.
fn count<T: ferroflow_tensor::Element + Add<Output = T> + One>(
    numbers: &[i64],
    weights: &[T],
    bins: &mut [T],
    (width, size): (usize, usize),
    binary: bool,
) {
    for (i, &number) in numbers.iter().enumerate() {
        let Some(place) = usize::try_from(number).ok().filter(|&place| place < size) else { continue };
        let bin = &mut bins[i.checked_div(width).unwrap_or(0) * size + place];
        *bin = if binary { T::one() } else { *bin + weights.get(i).copied().unwrap_or_else(T::one) };
    }
}

/// Counts the numbers of input 0 in bins of each of its `rows` rows; inputs 1 and 2 are the number of bins and the weights.
///
/// Errors: `InvalidArgument` for negative numbers, and weights that do not go with them.
pub(crate) fn counted(ctx: &OpKernelContext, rows: Option<usize>, binary: bool) -> Result<Tensor> {
    let (numbers, weights) = (ctx.input(0)?, ctx.input(2)?);
    let size = bin_count(ctx.input(1)?)?;
    if weights.num_elements() != 0 && weights.shape() != numbers.shape() {
        return Err(invalid_argument(format!(
            "`weights` must be the same shape as `arr` or a length-0 `Tensor`, in which case it acts as all weights equal to 1. Received {}",
            weights.shape()
        )));
    }
    let values = numbers.to_i64s()?;
    if values.iter().any(|&v| v < 0) {
        return Err(invalid_argument("Input arr must be non-negative!"));
    }
    let shape = match rows {
        None => Shape::from_lens(&[size])?,
        Some(rows) => Shape::from_lens(&[rows, size])?,
    };
    let width = values.len().checked_div(rows.unwrap_or(1)).unwrap_or(0);
    let mut bins = Tensor::zeros(weights.dtype(), shape)?;
    ferroflow_tensor::dispatch!(weights.dtype(), [i32, i64, f32, f64] => T, {
        count::<T>(&values, weights.as_slice()?, bins.as_mut_slice()?, (width, size), binary);
    }, else { return Err(unsupported(ctx.node.op_name(), weights.dtype())) });
    Ok(bins)
}
