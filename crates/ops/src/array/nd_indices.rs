//! Indices of several dimensions at once, as `GatherNd` and `ScatterNd` take them: each row of the last dimension names a slice.

use super::dims::product;
use crate::prelude::*;

/// The slices that an index tensor names in a tensor of `dims`.
pub(crate) struct NdIndices {
    /// For each row of indices the number of the slice, or `None` if it is out of range and that is to be ignored.
    pub(crate) slices: Vec<Option<usize>>,
    /// Elements of a slice.
    pub(crate) inner: usize,
}

/// What happens with an index that is out of range.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum BadIndices {
    /// The op fails.
    Error,
    /// Gathered slices are zero, scattered ones are dropped.
    Ignore,
}

impl BadIndices {
    /// Reads the attribute `bad_indices_policy`.
    ///
    /// Errors: `InvalidArgument` for an unknown word.
    pub(crate) fn of(attrs: &AttrMap) -> Result<BadIndices> {
        match attrs.str("bad_indices_policy")? {
            "" | "DEFAULT" | "ERROR" => Ok(BadIndices::Error),
            "IGNORE" => Ok(BadIndices::Ignore),
            other => Err(invalid_argument(format!("Unknown bad_indices_policy: {other}"))),
        }
    }
}

impl NdIndices {
    /// Works out the rows of `indices`, whose last dimension must be at most the number of `dims`.
    ///
    /// Errors: `InvalidArgument` with what `bad` says of the position and the index that is out of range.
    pub(crate) fn new(indices: &Tensor, dims: &[i64], policy: BadIndices, bad: impl Fn(String, String) -> String) -> Result<NdIndices> {
        let depth = indices.dims().last().map_or(0, |&d| d as usize);
        let rows = product(&indices.dims()[..indices.rank().saturating_sub(1)]);
        let values = indices.to_i64s()?;
        let mut slices = Vec::with_capacity(rows);
        for row in 0..rows {
            let index = values.get(row * depth..(row + 1) * depth).unwrap_or_default();
            let mut slice = Some(0usize);
            for (&i, &d) in index.iter().zip(dims) {
                slice = slice.filter(|_| (0..d).contains(&i)).map(|s| s * d as usize + i as usize);
            }
            if slice.is_none() && policy == BadIndices::Error {
                let text: Vec<String> = index.iter().map(i64::to_string).collect();
                return Err(invalid_argument(bad(position(row, indices), format!("[{}]", text.join(", ")))));
            }
            slices.push(slice);
        }
        Ok(NdIndices { slices, inner: product(&dims[depth.min(dims.len())..]) })
    }
}

/// `indices[1,0]` without its name: where a row of indices lies.
fn position(mut row: usize, indices: &Tensor) -> String {
    let outer = &indices.dims()[..indices.rank().saturating_sub(1)];
    let mut index = Vec::new();
    for &d in outer.iter().rev() {
        index.push((row % d.max(1) as usize).to_string());
        row /= d.max(1) as usize;
    }
    index.reverse();
    format!("[{}]", index.join(","))
}
