//! `SparseSlice`: a block of a sparse tensor.

use super::coo::{Coo, elements, known_rank, matrix, pick, set_sparse_shape};
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "SparseSlice(indices: int64, values: T, shape: int64, start: int64, size: int64) -> (output_indices: int64, output_values: T, output_shape: int64)",
    attrs: "T: type",
    doc: "The values whose coordinates lie in the block of `size` at `start`, with coordinates from there.",
    shape,
    gradient: Gradient::Of(gradient),
    kernels: &[Kernel::cpu(compute)],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let (start, size) = (ctx.input(3)?, ctx.input(4)?);
    let x = Coo::of(ctx.input(0)?, ctx.input(1)?, ctx.input(2)?)?;
    for (name, t) in [("start", start), ("size", size)] {
        if t.rank() != 1 || t.num_elements() != x.rank() {
            return Err(invalid_argument(format!(
                "Input {name} should be a vector of length {} but received shape {}",
                x.rank(),
                t.shape()
            )));
        }
    }
    let (start, size) = (start.as_slice::<i64>()?, size.as_slice::<i64>()?);
    let mut dims = Vec::with_capacity(x.rank());
    for (k, (&begin, &length)) in start.iter().zip(size).enumerate() {
        if begin < 0 || length < 0 {
            return Err(invalid_argument(format!("start and size must not be negative, but are {begin} and {length} in dimension {k}")));
        }
        dims.push(length.min((x.dims[k] - begin).max(0)));
    }
    elements(&dims)?;
    let is_in = |i: &usize| x.at(*i).iter().zip(start.iter().zip(&dims)).all(|(&c, (&s, &d))| c >= s && c - s < d);
    let which: Vec<usize> = (0..x.len()).filter(is_in).collect();
    let indices: Vec<i64> = which.iter().flat_map(|&i| x.at(i).iter().zip(start).map(|(c, s)| c - s)).collect();
    let outputs = [matrix(which.len(), x.rank(), &indices)?, pick(x.values, &which)?, Tensor::vector(&dims)?];
    for (i, t) in outputs.into_iter().enumerate() {
        ctx.set_output(i, t);
    }
    Ok(())
}

fn shape(c: &mut ShapeContext) -> Result<()> {
    let rank = known_rank(c, 0, 2)?;
    c.with_rank(3, 1)?;
    c.with_rank(4, 1)?;
    set_sparse_shape(c, 0, rank);
    Ok(())
}

fn gradient(op: &Operation, grads: &OutGrads) -> Result<Vec<Option<Grad>>> {
    let d = op.graph().op("SparseSliceGrad").inputs([grads.dense(1), op.input(0), op.input(3), op.output(0)]).output();
    Ok(vec![None, Some(d.into()), None, None, None])
}
