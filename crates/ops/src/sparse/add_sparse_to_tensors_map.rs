//! `AddSparseToTensorsMap`: a sparse tensor put aside.

use super::coo::Coo;
use super::serialized::Member;
use super::tensors_map::map_of;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "AddSparseToTensorsMap(sparse_indices: int64, sparse_values: T, sparse_shape: int64) -> (sparse_handle: int64)",
    attrs: "T: type; container: string = \"\"; shared_name: string = \"\"",
    flags: "stateful",
    doc: "Keeps a sparse tensor in the map of this name; its number there.",
    shape: shape::scalar,
    kernels: &[Kernel::cpu(compute)],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let (indices, values, shape) = (ctx.input(0)?.clone(), ctx.input(1)?.clone(), ctx.input(2)?.clone());
    Coo::of(&indices, &values, &shape)?.check_bounds()?;
    let number = map_of(ctx)?.add(Member { indices, values, shape });
    ctx.set_output(0, Tensor::scalar(number));
    Ok(())
}
