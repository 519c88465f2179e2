//! `SparseFillEmptyRows`: a sparse tensor without empty rows.

use super::coo::{Coo, choose, filled, known_rank, matrix};
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "SparseFillEmptyRows(indices: int64, values: T, dense_shape: int64, default_value: T) -> (output_indices: int64, output_values: T, empty_row_indicator: bool, reverse_index_map: int64)",
    attrs: "T: type",
    doc: "`values` with `default_value` at column 0 of every row that has none; which rows those are; and where each value of the input went.",
    shape,
    gradient: Gradient::Of(gradient),
    kernels: &[Kernel::cpu(compute)],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let x = Coo::of(ctx.input(0)?, ctx.input(1)?, ctx.input(2)?)?;
    let default = ctx.input(3)?;
    if !default.shape().is_scalar() {
        return Err(invalid_argument(format!("default_value must be a scalar, saw: {}", default.shape())));
    }
    let Some(&rows) = x.dims.first() else { return Err(invalid_argument("Dense shape cannot be empty.")) };
    if rows == 0 && x.len() > 0 {
        return Err(invalid_argument(format!("Received SparseTensor with dense_shape[0] = 0 but indices.shape[0] = {}", x.len())));
    }
    let rows = rows as usize;
    let mut count = filled(rows, 0usize)?;
    for i in 0..x.len() {
        let row = x.at(i)[0];
        match usize::try_from(row).ok().and_then(|r| count.get_mut(r)) {
            Some(n) => *n += 1,
            None => return Err(invalid_argument(format!("indices({i}, 0) is invalid: {row} >= {rows}"))),
        }
    }
    let empty: Vec<bool> = count.iter().map(|&n| n == 0).collect();
    let mut next = count;
    let mut total = 0;
    for place in &mut next {
        let n = (*place).max(1);
        *place = total;
        total += n;
    }
    let mut which = filled(total, (1usize, 0usize))?;
    let mut indices = filled(total * x.rank(), 0i64)?;
    for (row, _) in empty.iter().enumerate().filter(|(_, e)| **e) {
        indices[next[row] * x.rank()] = row as i64;
    }
    let mut map = Vec::with_capacity(x.len());
    for i in 0..x.len() {
        let place = &mut next[x.at(i)[0] as usize];
        which[*place] = (0, i);
        indices[*place * x.rank()..(*place + 1) * x.rank()].copy_from_slice(x.at(i));
        map.push(*place as i64);
        *place += 1;
    }
    let outputs =
        [matrix(total, x.rank(), &indices)?, choose(&[x.values, default], &which)?, Tensor::vector(&empty)?, Tensor::vector(&map)?];
    for (i, t) in outputs.into_iter().enumerate() {
        ctx.set_output(i, t);
    }
    Ok(())
}

fn shape(c: &mut ShapeContext) -> Result<()> {
    let rank = known_rank(c, 0, 2)?;
    let values = c.with_rank(1, 1)?;
    c.with_rank(3, 0)?;
    let rows = c.input_as_shape(2)?.dim(0);
    c.set_output(0, PartialShape::new(&[None, rank]));
    c.set_output(1, PartialShape::of_rank(1));
    c.set_output(2, PartialShape::new(&[rows]));
    c.set_output(3, values);
    Ok(())
}

fn gradient(op: &Operation, grads: &OutGrads) -> Result<Vec<Option<Grad>>> {
    let d = op.graph().op("SparseFillEmptyRowsGrad").input(op.output(3)).input(grads.dense(1)).build();
    Ok(vec![None, Some(d.output(0).into()), None, Some(d.output(1).into())])
}
