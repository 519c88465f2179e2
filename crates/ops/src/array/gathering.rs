//! Picking slices along an axis by index: what `Gather`, `GatherV2` and `Unique` share.

use super::elements::{Rearrange, rearrange};
use crate::prelude::*;
use ferroflow_math::{ParallelFor, ROWS_AHEAD, for_each_part, prefetch};

/// A tensor seen as `[batch, outer, n, inner]`, of which slices along `n` are picked, for each batch by its own indices.
pub(crate) struct Gathering<'a> {
    /// How often indices start anew.
    pub(crate) batch: usize,
    /// Product of the dimensions between batch and axis.
    pub(crate) outer: usize,
    /// Length of the axis.
    pub(crate) n: usize,
    /// Product of the dimensions behind the axis.
    pub(crate) inner: usize,
    /// In `0..n`; `batch` times the same number of them.
    pub(crate) indices: &'a [usize],
    /// Threads to copy on.
    pub(crate) pool: &'a dyn ParallelFor,
}

impl Gathering<'_> {
    /// The picked slices, as a tensor of this shape, which is `[batch, outer, indices per batch, inner]`.
    ///
    /// Errors: `Internal` if the sizes do not fit together; `ResourceExhausted` without memory.
    pub(crate) fn run(&self, x: &Tensor, shape: Shape) -> Result<Tensor> {
        let fits = x.num_elements() == self.batch * self.outer * self.n * self.inner
            && shape.num_elements() == self.outer * self.indices.len() * self.inner
            && self.indices.iter().all(|&i| i < self.n);
        if !fits {
            return Err(internal(format!("slices of {} do not make {shape}", x.shape())));
        }
        rearrange(&[x], shape, self)
    }
}

impl Rearrange for Gathering<'_> {
    fn run<E: Clone + Send + Sync>(&self, inputs: &[&[E]], out: &mut [E]) -> Result<()> {
        let per_batch = self.indices.len().checked_div(self.batch).unwrap_or(0);
        let slices = self.outer * self.indices.len();
        if out.is_empty() {
            return Ok(());
        }
        const GRAIN: usize = 8 * 1024;
        for_each_part(self.pool, out, slices, (GRAIN / self.inner.max(1)).max(1), &|range, part| {
            let row_of = |slice: usize| {
                let (block, k) = (slice / per_batch, slice % per_batch);
                block * self.n + self.indices[block / self.outer * per_batch + k]
            };
            // Short rows are not worth the asking.
            let end = if self.inner * size_of::<E>() < 64 { 0 } else { range.end };
            for (slice, place) in range.zip(part.chunks_exact_mut(self.inner)) {
                if slice + ROWS_AHEAD < end {
                    let ahead = row_of(slice + ROWS_AHEAD);
                    prefetch(&inputs[0][ahead * self.inner..(ahead + 1) * self.inner]);
                }
                let row = row_of(slice);
                place.clone_from_slice(&inputs[0][row * self.inner..(row + 1) * self.inner]);
            }
        });
        Ok(())
    }
}

/// The indices, checked against `0..n`; `shape` is that of the index tensor, for the message.
///
/// Errors: `InvalidArgument` `indices[0,1] = 5 is not in [0, 4)`.
pub(crate) fn checked(indices: &Tensor, n: usize) -> Result<Vec<usize>> {
    let values = indices.to_i64s()?;
    let mut out = Vec::with_capacity(values.len());
    for (k, &v) in values.iter().enumerate() {
        match usize::try_from(v).ok().filter(|&v| v < n) {
            Some(v) => out.push(v),
            None => return Err(invalid_argument(format!("indices{} = {v} is not in [0, {n})", position(k, indices.shape())))),
        }
    }
    Ok(out)
}

/// The index of element `k` as TF writes it: `[1,0]`; nothing for a scalar.
fn position(mut k: usize, shape: &Shape) -> String {
    let mut index = Vec::new();
    for &d in shape.dims().iter().rev() {
        index.push((k % d.max(1) as usize).to_string());
        k /= d.max(1) as usize;
    }
    index.reverse();
    if index.is_empty() { String::new() } else { format!("[{}]", index.join(",")) }
}
