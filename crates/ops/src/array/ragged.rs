//! Ragged tensors as their parts: nested row splits and the values of the innermost rows (TF: `ragged_utils`).

use super::dims::index_tensor;
use super::elements::{Rearrange, rearrange};
use crate::prelude::*;
use ferroflow_tensor::error::resource_exhausted;

/// Where the first row begins.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Start {
    /// At the first of what is divided.
    Zero,
    /// As TF's `RaggedGather` takes it, anywhere.
    Anywhere,
}

/// The splits at inputs `first..first + count`, checked against the `values` rows that the last of them divides.
///
/// Errors: `InvalidArgument` for splits that do not rise from 0 to the number of what they divide.
pub(crate) fn nested_splits(ctx: &OpKernelContext, first: usize, count: usize, values: &Tensor, start: Start) -> Result<Vec<Vec<i64>>> {
    let mut all = Vec::with_capacity(count);
    for i in first..first + count {
        let t = ctx.input(i)?;
        if t.rank() != 1 || t.num_elements() == 0 {
            return Err(invalid_argument(format!("Splits must be a vector of at least one element, got shape {}", t.shape())));
        }
        all.push(t.to_i64s()?.to_vec());
    }
    let Some(&rows) = values.dims().first() else {
        return if count == 0 { Ok(all) } else { Err(invalid_argument("The values of a ragged tensor must not be a scalar")) };
    };
    for (i, splits) in all.iter().enumerate() {
        let end = all.get(i + 1).map_or(rows, |next: &Vec<i64>| next.len() as i64 - 1);
        if splits[0] != 0 && !(start == Start::Anywhere && splits[0] > 0) {
            return Err(invalid_argument("First value of ragged splits must be 0."));
        }
        if splits.windows(2).any(|w| w[0] > w[1]) {
            return Err(invalid_argument("Ragged splits must be sorted in ascending order"));
        }
        if splits[splits.len() - 1] != end {
            return Err(invalid_argument(format!(
                "Final value of ragged splits must match the length of what they split: {} is not {end}",
                splits[splits.len() - 1]
            )));
        }
    }
    Ok(all)
}

/// Adds to a list whose length follows from the input.
///
/// Errors: `ResourceExhausted` without memory.
pub(crate) fn extend(list: &mut Vec<i64>, more: impl ExactSizeIterator<Item = i64>) -> Result<()> {
    list.try_reserve(more.len()).map_err(|_| resource_exhausted("no memory for the splits of a ragged tensor"))?;
    list.extend(more);
    Ok(())
}

/// Splits into rows of one length.
///
/// Errors: `ResourceExhausted` without memory.
pub(crate) fn uniform_splits(rows: i64, length: i64) -> Result<Vec<i64>> {
    let mut splits = Vec::new();
    extend(&mut splits, (0..rows as usize + 1).map(|r| r as i64 * length))?;
    Ok(splits)
}

/// Sets outputs `first..` to vectors of splits.
///
/// Errors: `InvalidArgument` if one does not fit into the type.
pub(crate) fn set_splits(ctx: &mut OpKernelContext, first: usize, all: &[Vec<i64>], dtype: DType) -> Result<()> {
    for (i, splits) in all.iter().enumerate() {
        let t = index_tensor(dtype, Shape::from_lens(&[splits.len()])?, splits)?;
        ctx.set_output(first + i, t);
    }
    Ok(())
}

struct Ranges<'a> {
    ranges: &'a [(usize, usize)],
    width: usize,
}

impl Rearrange for Ranges<'_> {
    fn run<E: Clone + Send + Sync>(&self, inputs: &[&[E]], out: &mut [E]) -> Result<()> {
        let mut rest = out;
        for &(start, end) in self.ranges {
            let (place, left) = rest.split_at_mut((end - start) * self.width);
            place.clone_from_slice(&inputs[0][start * self.width..end * self.width]);
            rest = left;
        }
        Ok(())
    }
}

/// The rows of a tensor in these ranges, which exist, one behind the other.
///
/// Errors: `ResourceExhausted` without memory.
pub(crate) fn row_ranges(values: &Tensor, ranges: &[(usize, usize)]) -> Result<Tensor> {
    let rows = ranges.iter().try_fold(0usize, |sum, (start, end)| sum.checked_add(end - start));
    let rows = rows.and_then(|n| i64::try_from(n).ok()).ok_or_else(|| resource_exhausted("too many rows"))?;
    let mut dims = values.dims().to_vec();
    match dims.first_mut() {
        Some(d) => *d = rows,
        None => return Err(invalid_argument("The values of a ragged tensor must not be a scalar")),
    }
    let width = dims[1..].iter().product::<i64>() as usize;
    rearrange(&[values], Shape::new(&dims)?, &Ranges { ranges, width })
}
