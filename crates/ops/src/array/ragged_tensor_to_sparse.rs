//! `RaggedTensorToSparse`: a ragged tensor with the coordinates of its values.

use super::dims::reshape_like;
use super::ragged::{Start, nested_splits};
use crate::prelude::*;
use crate::sparse::coo;

pub const OP: OpSpec = OpSpec {
    signature: "RaggedTensorToSparse(rt_nested_splits: RAGGED_RANK * Tsplits, rt_dense_values: T) -> (sparse_indices: int64, sparse_values: T, sparse_dense_shape: int64)",
    attrs: "RAGGED_RANK: int >= 1; T: type; Tsplits: type in {int32, int64} = int64",
    doc: "The coordinates, values and dense shape of a ragged tensor.",
    shape,
    gradient: Gradient::Of(|op, grads| {
        let splits = op.num_inputs() - 1;
        let mut all = vec![None; splits];
        all.push(Some(reshape_like(&grads.dense(1), &op.input(splits)).into()));
        Ok(all)
    }),
    kernels: &[Kernel::cpu(compute)],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let ragged_rank = ctx.node.attrs.count("RAGGED_RANK")?;
    let values = ctx.input(ragged_rank)?;
    let splits = nested_splits(ctx, 0, ragged_rank, values, Start::Zero)?;
    let mut shape = vec![splits[0].len() as i64 - 1];
    shape.extend(splits.iter().map(|s| s.windows(2).map(|w| w[1] - w[0]).max().unwrap_or(0)));
    shape.extend(&values.dims()[1..]);
    let (n, rank) = (values.num_elements(), shape.len());
    let inner = &values.dims()[1..];
    let per_row = inner.iter().product::<i64>() as usize;
    let mut indices = coo::filled(n.checked_mul(rank).ok_or_else(|| invalid_argument("too many coordinates"))?, 0i64)?;
    // Which row of each dimension the current value lies in.
    let mut at = vec![0usize; ragged_rank];
    for k in 0..values.dims()[0] as usize {
        let mut child = k;
        let mut place = vec![0i64; ragged_rank + 1];
        for axis in (0..ragged_rank).rev() {
            while splits[axis][at[axis] + 1] <= child as i64 {
                at[axis] += 1;
            }
            place[axis + 1] = child as i64 - splits[axis][at[axis]];
            child = at[axis];
        }
        place[0] = child as i64;
        for e in 0..per_row {
            let row = &mut indices[(k * per_row + e) * rank..][..rank];
            row[..=ragged_rank].copy_from_slice(&place);
            let mut rest = e;
            for (axis, &d) in inner.iter().enumerate().rev() {
                row[ragged_rank + 1 + axis] = (rest % d as usize) as i64;
                rest /= d as usize;
            }
        }
    }
    let flat = values.clone().reshaped(Shape::from_lens(&[n])?)?;
    let outputs = [coo::matrix(n, rank, &indices)?, flat, Tensor::vector(&shape)?];
    for (i, t) in outputs.into_iter().enumerate() {
        ctx.set_output(i, t);
    }
    Ok(())
}

fn shape(c: &mut ShapeContext) -> Result<()> {
    let ragged_rank = c.node().attrs.count("RAGGED_RANK")?;
    (0..ragged_rank).try_for_each(|i| c.with_rank(i, 1).map(drop))?;
    let rank = c.with_rank_at_least(ragged_rank, 1)?.rank().map(|r| (r + ragged_rank) as i64);
    coo::set_sparse_shape(c, 0, rank);
    Ok(())
}
