//! `SparseReorder`: a sparse tensor in row-major order.

use super::coo::{Coo, known_rank, matrix, pick};
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "SparseReorder(input_indices: int64, input_values: T, input_shape: int64) -> (output_indices: int64, output_values: T)",
    attrs: "T: type",
    doc: "The same values in the order of their coordinates.",
    shape,
    kernels: &[Kernel::cpu(compute)],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let x = Coo::of(ctx.input(0)?, ctx.input(1)?, ctx.input(2)?)?;
    let order = x.order();
    let indices: Vec<i64> = order.iter().flat_map(|&i| x.at(i)).copied().collect();
    let (indices, values) = (matrix(x.len(), x.rank(), &indices)?, pick(x.values, &order)?);
    ctx.set_output(0, indices);
    ctx.set_output(1, values);
    Ok(())
}

fn shape(c: &mut ShapeContext) -> Result<()> {
    let rank = known_rank(c, 0, 2)?;
    let values = c.with_rank(1, 1)?;
    c.set_output(0, PartialShape::new(&[values.dim(0), rank]));
    c.set_output(1, values);
    Ok(())
}
