//! `AddManySparseToTensorsMap`: the rows of a sparse tensor put aside.

use super::coo::{Coo, known_rank};
use super::serialized::rows;
use super::tensors_map::map_of;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "AddManySparseToTensorsMap(sparse_indices: int64, sparse_values: T, sparse_shape: int64) -> (sparse_handles: int64)",
    attrs: "T: type; container: string = \"\"; shared_name: string = \"\"",
    flags: "stateful",
    doc: "Keeps each part along the first dimension in the map of this name; their numbers there.",
    shape,
    kernels: &[Kernel::cpu(compute)],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let x = Coo::of(ctx.input(0)?, ctx.input(1)?, ctx.input(2)?)?;
    let rows = rows(&x)?;
    x.check_bounds()?;
    let map = map_of(ctx)?;
    let mut numbers = vec![0i64; rows.len()];
    // As in TF, rows with values get the lower numbers.
    let (full, empty): (Vec<_>, Vec<_>) = rows.into_iter().enumerate().partition(|(_, r)| r.values.num_elements() > 0);
    full.into_iter().chain(empty).for_each(|(i, r)| numbers[i] = map.add(r));
    ctx.set_output(0, Tensor::vector(&numbers)?);
    Ok(())
}

fn shape(c: &mut ShapeContext) -> Result<()> {
    known_rank(c, 0, 2)?;
    c.set_output(0, PartialShape::of_rank(1));
    Ok(())
}
