//! `SerializeSparse`: a sparse tensor as three serialised tensors.

use super::coo::{Coo, known_rank};
use super::serialized::pack;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "SerializeSparse(sparse_indices: int64, sparse_values: T, sparse_shape: int64) -> (serialized_sparse: out_type)",
    attrs: "T: type; out_type: type in {string, variant} = string",
    doc: "Indices, values and shape, each serialised, as a vector.",
    shape,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(compute)],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let parts = [ctx.input(0)?.clone(), ctx.input(1)?.clone(), ctx.input(2)?.clone()];
    Coo::of(&parts[0], &parts[1], &parts[2])?;
    let y = pack(ctx.node.output_types[0].dtype, Shape::new(&[3])?, &parts)?;
    ctx.set_output(0, y);
    Ok(())
}

fn shape(c: &mut ShapeContext) -> Result<()> {
    known_rank(c, 0, 2)?;
    c.set_output(0, PartialShape::new(&[Some(3)]));
    Ok(())
}
