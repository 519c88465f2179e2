//! Where the channels of an image tensor stand (TF: `TensorFormat`, `GetBiasValueDims`).

use crate::prelude::*;

/// A tensor seen from its channels: `outer` x `channels` x `inner`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Channels {
    pub(crate) outer: usize,
    pub(crate) channels: usize,
    pub(crate) inner: usize,
}

/// Whether the channels come right behind the batch.
///
/// Errors: `InvalidArgument` without the attribute `data_format`.
pub(crate) fn channels_first(attrs: &AttrMap) -> Result<bool> {
    Ok(attrs.contains("data_format") && attrs.str("data_format")?.starts_with("NC"))
}

/// The axis of the channels.
pub(crate) fn channel_axis(rank: usize, first: bool) -> usize {
    if first { 1.min(rank.saturating_sub(1)) } else { rank.saturating_sub(1) }
}

/// A tensor of at least rank 2 seen from its channels.
///
/// Errors: `InvalidArgument` `Input tensor must be at least 2D: [3]`.
pub(crate) fn of_value(shape: &Shape, first: bool) -> Result<Channels> {
    if shape.rank() < 2 {
        return Err(invalid_argument(format!("Input tensor must be at least 2D: {shape}")));
    }
    let axis = channel_axis(shape.rank(), first);
    let product = |range: std::ops::Range<usize>| range.map(|i| shape.dim(i)).product();
    Ok(Channels { outer: product(0..axis), channels: shape.dim(axis), inner: product(axis + 1..shape.rank()) })
}
