//! What `SparseSparseMaximum` and `SparseSparseMinimum` share.

use super::coo::{Coo, known_rank, matrix};
use super::merge;
use crate::prelude::*;
use crate::state::arithmetic::Ordered;
use ferroflow_tensor::Element;

/// Which of two elements stays.
#[derive(Clone, Copy)]
pub(super) enum Extreme {
    Greater,
    Lesser,
}

fn values<T: Ordered + Element>(a: &Coo, b: &Coo, places: &[merge::Place], extreme: Extreme) -> Result<Tensor> {
    let (x, y) = (a.values.as_slice::<T>()?, b.values.as_slice::<T>()?);
    let value = |values: &[T], i: Option<usize>| i.map_or(T::default(), |i| values[i]);
    let chosen = |p: &merge::Place| match extreme {
        Extreme::Greater => value(x, p.0).greater(value(y, p.1)),
        Extreme::Lesser => value(x, p.0).lesser(value(y, p.1)),
    };
    Tensor::vector(&places.iter().map(chosen).collect::<Vec<T>>())
}

/// The chosen element at every place where one of both has a value; what is missing counts as 0.
///
/// Errors: `InvalidArgument` if they are malformed or of different shapes.
pub(super) fn compute(ctx: &mut OpKernelContext, extreme: Extreme) -> Result<()> {
    let (a, b) = merge::pair(ctx)?;
    let places = merge::places(&a, &b);
    let indices: Vec<i64> = places.iter().flat_map(|p| merge::at(&a, &b, p)).copied().collect();
    let dtype = a.values.dtype();
    let y = with_real!(dtype => T, { values::<T>(&a, &b, &places, extreme)? }, else { return Err(unsupported(ctx.node.op_name(), dtype)) });
    let indices = matrix(places.len(), a.rank(), &indices)?;
    ctx.set_output(0, indices);
    ctx.set_output(1, y);
    Ok(())
}

pub(super) fn shape(c: &mut ShapeContext) -> Result<()> {
    let rank = known_rank(c, 0, 2)?;
    known_rank(c, 3, 5)?;
    c.set_output(0, PartialShape::new(&[None, rank]));
    c.set_output(1, PartialShape::of_rank(1));
    Ok(())
}
