//! Reductions of sparse tensors: groups of values that differ in reduced dimensions only (TF: `SparseReduceOp`).

use super::coo::{Coo, elements, known_rank, matrix, set_sparse_shape};
use crate::prelude::*;
use crate::state::arithmetic::{Arithmetic, Ordered};
use ferroflow_tensor::Element;
use std::collections::BTreeMap;

/// Which value a group becomes.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Reduced {
    Sum,
    Max,
}

/// The groups of a reduction: coordinates in the result and the values that meet there.
struct Groups {
    members: BTreeMap<Vec<i64>, Vec<usize>>,
    /// The result's shape.
    dims: Vec<i64>,
}

fn groups(ctx: &OpKernelContext, x: &Coo) -> Result<Groups> {
    let rank = x.rank();
    let keep_dims = ctx.node.attrs.bool("keep_dims")?;
    let axes = ctx.input(3)?;
    if axes.rank() > 1 {
        return Err(invalid_argument(format!("reduction_axes must be a vector, but has shape {}", axes.shape())));
    }
    let mut reduced = vec![false; rank];
    for &axis in axes.as_slice::<i32>()? {
        let from_front = if axis < 0 { axis as i64 + rank as i64 } else { axis as i64 };
        match usize::try_from(from_front).ok().and_then(|a| reduced.get_mut(a)) {
            Some(r) => *r = true,
            None => return Err(invalid_argument(format!("Invalid reduction dimension {axis}, for input with {rank} dimensions."))),
        }
    }
    x.check_bounds()?;
    let of = |at: &[i64], reduced_to: i64| -> Vec<i64> {
        let kept = at.iter().zip(&reduced).filter(|(_, r)| keep_dims || !**r);
        kept.map(|(&c, &r)| if r { reduced_to } else { c }).collect()
    };
    let mut members: BTreeMap<Vec<i64>, Vec<usize>> = BTreeMap::new();
    for i in x.order() {
        members.entry(of(x.at(i), 0)).or_default().push(i);
    }
    Ok(Groups { members, dims: of(&x.dims, 1) })
}

fn sum<T: Arithmetic + Element>(x: &Coo, groups: &Groups) -> Result<Vec<T>> {
    let values = x.values.as_slice::<T>()?;
    Ok(groups.members.values().map(|g| g.iter().fold(T::default(), |s, &i| s.plus(values[i]))).collect())
}

fn greatest<T: Ordered + Element>(x: &Coo, groups: &Groups) -> Result<Vec<T>> {
    let values = x.values.as_slice::<T>()?;
    Ok(groups.members.values().map(|g| g.iter().skip(1).fold(values[g[0]], |s, &i| s.greater(values[i]))).collect())
}

/// One value for each group, in the groups' order.
fn reduce(x: &Coo, groups: &Groups, how: Reduced) -> Result<Tensor> {
    let dtype = x.values.dtype();
    match how {
        Reduced::Sum => {
            with_numeric!(dtype => T, { Tensor::vector(&sum::<T>(x, groups)?) }, else { Err(unsupported("SparseReduceSum", dtype)) })
        }
        Reduced::Max => {
            with_real!(dtype => T, { Tensor::vector(&greatest::<T>(x, groups)?) }, else { Err(unsupported("SparseReduceMax", dtype)) })
        }
    }
}

/// Sets output 0 to the dense result; groups without values are 0.
///
/// Errors: `InvalidArgument` for malformed inputs and axes that do not exist.
pub(super) fn dense(ctx: &mut OpKernelContext, how: Reduced) -> Result<()> {
    let x = Coo::of(ctx.input(0)?, ctx.input(1)?, ctx.input(2)?)?;
    let groups = groups(ctx, &x)?;
    let reduced = reduce(&x, &groups, how)?;
    let mut y = Tensor::zeros(reduced.dtype(), Shape::new(&groups.dims)?)?;
    let size = reduced.dtype().size();
    let out = y.bytes_mut()?;
    for (at, value) in groups.members.keys().zip(reduced.bytes()?.chunks_exact(size)) {
        let place = at.iter().zip(&groups.dims).fold(0, |p, (&c, &d)| p * d as usize + c as usize);
        out[place * size..(place + 1) * size].copy_from_slice(value);
    }
    ctx.set_output(0, y);
    Ok(())
}

/// Sets the outputs to the sparse result.
///
/// Errors: `InvalidArgument` for malformed inputs and axes that do not exist.
pub(super) fn sparse(ctx: &mut OpKernelContext, how: Reduced) -> Result<()> {
    let x = Coo::of(ctx.input(0)?, ctx.input(1)?, ctx.input(2)?)?;
    let groups = groups(ctx, &x)?;
    elements(&groups.dims)?;
    let values = reduce(&x, &groups, how)?;
    let indices: Vec<i64> = groups.members.keys().flatten().copied().collect();
    let outputs = [matrix(groups.members.len(), groups.dims.len(), &indices)?, values, Tensor::vector(&groups.dims)?];
    for (i, t) in outputs.into_iter().enumerate() {
        ctx.set_output(i, t);
    }
    Ok(())
}

/// The shape of a sparse result.
///
/// Errors: `InvalidArgument` if the input cannot be a sparse tensor.
pub(super) fn sparse_shape(c: &mut ShapeContext) -> Result<()> {
    let rank = known_rank(c, 0, 2)?;
    let kept = if c.node().attrs.bool("keep_dims")? { rank } else { None };
    set_sparse_shape(c, 0, kept);
    Ok(())
}

/// The shape of a dense result.
///
/// Errors: `InvalidArgument` if the input cannot be a sparse tensor.
pub(super) fn dense_shape(c: &mut ShapeContext) -> Result<()> {
    let rank = known_rank(c, 0, 2)?;
    if c.node().attrs.bool("keep_dims")?
        && let Some(rank) = rank.and_then(|r| usize::try_from(r).ok())
    {
        c.set_output(0, PartialShape::of_rank(rank));
    }
    Ok(())
}
