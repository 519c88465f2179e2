//! Two sparse tensors walked together in the order of their coordinates: what sums and maxima of both share.

use super::coo::Coo;
use crate::prelude::*;
use std::cmp::Ordering;

/// One place of the union: the number of its value in the first tensor, in the second, or in both.
pub(super) type Place = (Option<usize>, Option<usize>);

/// The places of both; the coordinates of each tensor ascend.
pub(super) fn places(a: &Coo, b: &Coo) -> Vec<Place> {
    let (mut i, mut j) = (0, 0);
    let mut all = Vec::with_capacity(a.len().max(b.len()));
    while i < a.len() || j < b.len() {
        let order = match (i < a.len(), j < b.len()) {
            (true, true) => a.at(i).cmp(b.at(j)),
            (true, false) => Ordering::Less,
            _ => Ordering::Greater,
        };
        let of_a = (order != Ordering::Greater).then_some(i);
        let of_b = (order != Ordering::Less).then_some(j);
        i += usize::from(of_a.is_some());
        j += usize::from(of_b.is_some());
        all.push((of_a, of_b));
    }
    all
}

/// The coordinates of a place.
pub(super) fn at<'a>(a: &'a Coo, b: &'a Coo, place: &Place) -> &'a [i64] {
    match *place {
        (Some(i), _) => a.at(i),
        (None, Some(j)) => b.at(j),
        (None, None) => &[],
    }
}

/// The two sparse tensors at inputs 0 to 5, of the same shape.
///
/// Errors: `InvalidArgument` if they are malformed or of different shapes.
pub(super) fn pair<'a>(ctx: &'a OpKernelContext) -> Result<(Coo<'a>, Coo<'a>)> {
    let a = Coo::of(ctx.input(0)?, ctx.input(1)?, ctx.input(2)?)?;
    let b = Coo::of(ctx.input(3)?, ctx.input(4)?, ctx.input(5)?)?;
    if a.rank() != b.rank() {
        return Err(invalid_argument(format!("Ranks of input tensors must match, but saw ranks: {} and {}", a.rank(), b.rank())));
    }
    if a.dims != b.dims {
        return Err(invalid_argument(format!("Operands' shapes do not match: got {:?} and {:?}", a.dims, b.dims)));
    }
    Ok((a, b))
}
