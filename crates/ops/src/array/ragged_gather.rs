//! `RaggedGather`: rows of a ragged tensor by index.

use super::ragged::{Start, extend, nested_splits, row_ranges, set_splits, uniform_splits};
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "RaggedGather(params_nested_splits: PARAMS_RAGGED_RANK * Tsplits, params_dense_values: Tvalues, indices: Tindices) -> (output_nested_splits: OUTPUT_RAGGED_RANK * Tsplits, output_dense_values: Tvalues)",
    attrs: "Tvalues: type; Tindices: type in {int32, int64}; Tsplits: type in {int32, int64} = int64; PARAMS_RAGGED_RANK: int >= 1; OUTPUT_RAGGED_RANK: int >= 0",
    doc: "The rows of a ragged tensor at `indices`: the result has the dimensions of `indices` in front of those of a row.",
    shape,
    kernels: &[Kernel::cpu(compute)],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let attrs = &ctx.node.attrs;
    let (ragged_rank, out_rank) = (attrs.count("PARAMS_RAGGED_RANK")?, attrs.count("OUTPUT_RAGGED_RANK")?);
    let (values, indices) = (ctx.input(ragged_rank)?, ctx.input(ragged_rank + 1)?);
    if values.rank() == 0 {
        return Err(invalid_argument("params.rank must be nonzero"));
    }
    if ragged_rank + indices.rank() != out_rank + 1 {
        return Err(invalid_argument(format!("OUTPUT_RAGGED_RANK must be {}, not {out_rank}", ragged_rank + indices.rank() - 1)));
    }
    let splits = nested_splits(ctx, 0, ragged_rank, values, Start::Anywhere)?;
    let rows = splits[0].len() as i64 - 1;
    let mut out: Vec<Vec<i64>> = Vec::new();
    for axis in 1..indices.rank() {
        out.push(uniform_splits(indices.dims()[..axis].iter().product(), indices.dims()[axis])?);
    }
    // A single row has no dimension of rows any more.
    let skipped = usize::from(indices.rank() == 0);
    let first = out.len();
    out.resize(first + ragged_rank - skipped, vec![0]);
    let mut ranges = Vec::new();
    for (k, &index) in indices.to_i64s()?.iter().enumerate() {
        if !(0..rows).contains(&index) {
            return Err(invalid_argument(format!("indices[{k}] = {index} is not in [0, {rows})")));
        }
        let (mut start, mut end) = (index as usize, index as usize + 1);
        for (axis, splits) in splits.iter().enumerate() {
            if axis >= skipped {
                let list = &mut out[first + axis - skipped];
                let offset = list[list.len() - 1] - splits[start];
                extend(list, splits[start + 1..=end].iter().map(|s| s + offset))?;
            }
            (start, end) = (splits[start] as usize, splits[end] as usize);
        }
        ranges.push((start, end));
    }
    let picked = row_ranges(values, &ranges)?;
    let dtype = attrs.dtype("Tsplits")?;
    set_splits(ctx, 0, &out, dtype)?;
    ctx.set_output(out_rank, picked);
    Ok(())
}

fn shape(c: &mut ShapeContext) -> Result<()> {
    let attrs = &c.node().attrs;
    let (ragged_rank, out_rank) = (attrs.count("PARAMS_RAGGED_RANK")?, attrs.count("OUTPUT_RAGGED_RANK")?);
    (0..ragged_rank).try_for_each(|i| c.with_rank(i, 1).map(drop))?;
    let values = c.with_rank_at_least(ragged_rank, 1)?;
    (0..out_rank).for_each(|i| c.set_output(i, PartialShape::of_rank(1)));
    c.set_output(out_rank, super::dims::with_dim(&values, 0, None));
    Ok(())
}
