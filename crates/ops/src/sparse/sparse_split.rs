//! `SparseSplit`: a sparse tensor cut along a dimension.

use super::coo::{Coo, known_rank, matrix, pick};
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "SparseSplit(split_dim: int64, indices: int64, values: T, shape: int64) -> (output_indices: num_split * int64, output_values: num_split * T, output_shape: num_split * int64)",
    attrs: "num_split: int >= 1; T: type",
    doc: "`num_split` sparse tensors; where the dimension is no multiple of that, the first ones are longer by one.",
    shape,
    kernels: &[Kernel::cpu(compute)],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let axis = ctx.input(0)?;
    if !axis.shape().is_scalar() {
        return Err(invalid_argument(format!("Input axis should be a scalar but received shape {}", axis.shape())));
    }
    let given = axis.to_i64()?;
    let x = Coo::of(ctx.input(1)?, ctx.input(2)?, ctx.input(3)?)?;
    let num = ctx.node.attrs.int("num_split")?;
    let axis = if given < 0 { given + x.rank() as i64 } else { given };
    let Some(axis) = usize::try_from(axis).ok().filter(|&a| a < x.rank()) else {
        return Err(invalid_argument(format!("Input split_dim should be between 0 and rank ({}), got {given}", x.rank())));
    };
    let length = x.dims[axis];
    if num < 1 || num > length {
        return Err(invalid_argument(format!(
            "Input num_split should be between 1 and the splitting dimension size ({length}), got {num}"
        )));
    }
    x.check_bounds()?;
    let (size, longer) = (length / num, length % num);
    let piece_of = |at: i64| {
        let first = longer * (size + 1);
        if at < first { at / (size + 1) } else { longer + (at - first) / size }
    };
    let start_of = |piece: i64| piece * size + piece.min(longer);
    let mut members: Vec<Vec<usize>> = vec![vec![]; num as usize];
    for i in 0..x.len() {
        members[piece_of(x.at(i)[axis]) as usize].push(i);
    }
    let mut outputs = Vec::with_capacity(members.len());
    for (piece, which) in members.iter().enumerate() {
        let start = start_of(piece as i64);
        let mut indices: Vec<i64> = which.iter().flat_map(|&i| x.at(i)).copied().collect();
        indices.chunks_exact_mut(x.rank()).for_each(|at| at[axis] -= start);
        let mut dims = x.dims.to_vec();
        dims[axis] = start_of(piece as i64 + 1) - start;
        outputs.push((matrix(which.len(), x.rank(), &indices)?, pick(x.values, which)?, Tensor::vector(&dims)?));
    }
    let n = outputs.len();
    for (i, (indices, values, shape)) in outputs.into_iter().enumerate() {
        ctx.set_output(i, indices);
        ctx.set_output(n + i, values);
        ctx.set_output(2 * n + i, shape);
    }
    Ok(())
}

fn shape(c: &mut ShapeContext) -> Result<()> {
    let rank = known_rank(c, 1, 3)?;
    let n = c.node().attrs.count("num_split")?;
    for i in 0..n {
        c.set_output(i, PartialShape::new(&[None, rank]));
        c.set_output(n + i, PartialShape::of_rank(1));
        c.set_output(2 * n + i, PartialShape::new(&[rank]));
    }
    Ok(())
}
