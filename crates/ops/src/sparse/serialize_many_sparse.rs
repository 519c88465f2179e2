//! `SerializeManySparse`: the rows of a sparse tensor, each serialised.

use super::coo::{Coo, known_rank};
use super::serialized::{pack, rows};
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "SerializeManySparse(sparse_indices: int64, sparse_values: T, sparse_shape: int64) -> (serialized_sparse: out_type)",
    attrs: "T: type; out_type: type in {string, variant} = string",
    doc: "A matrix with a row for each part along the first dimension: its indices, values and shape, serialised.",
    shape,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(compute)],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let x = Coo::of(ctx.input(0)?, ctx.input(1)?, ctx.input(2)?)?;
    let rows = rows(&x)?;
    let shape = Shape::from_lens(&[rows.len(), 3])?;
    let parts: Vec<Tensor> = rows.into_iter().flat_map(|r| [r.indices, r.values, r.shape]).collect();
    let y = pack(ctx.node.output_types[0].dtype, shape, &parts)?;
    ctx.set_output(0, y);
    Ok(())
}

fn shape(c: &mut ShapeContext) -> Result<()> {
    known_rank(c, 0, 2)?;
    let rows = c.input_as_shape(2)?.dim(0);
    c.set_output(0, PartialShape::new(&[rows, Some(3)]));
    Ok(())
}
