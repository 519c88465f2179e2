//! `TakeManySparseFromTensorsMap`: a batch of sparse tensors that were put aside.

use super::serialized::{Member, batch_shape, set_batch};
use super::tensors_map::map_of;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "TakeManySparseFromTensorsMap(sparse_handles: int64) -> (sparse_indices: int64, sparse_values: dtype, sparse_shape: int64)",
    attrs: "dtype: type; container: string = \"\"; shared_name: string = \"\"",
    flags: "stateful",
    doc: "The sparse tensors of these numbers, each a part along a new first dimension; they leave the map.",
    shape: batch_shape,
    kernels: &[Kernel::cpu(compute)],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let numbers = ctx.input(0)?;
    if numbers.rank() != 1 {
        return Err(invalid_argument(format!("sparse_handles should be a vector but received shape {}", numbers.shape())));
    }
    if numbers.num_elements() == 0 {
        return Err(invalid_argument("Must have at least 1 serialized SparseTensor, but input matrix has 0 rows"));
    }
    let dtype = ctx.node.output_types[1].dtype;
    let members = map_of(ctx)?.take(numbers.as_slice()?, ctx.node.attrs.str("shared_name")?)?;
    if let Some(other) = members.iter().find(|m| m.values.dtype() != dtype) {
        return Err(invalid_argument(format!(
            "Requested SparseTensor of type {dtype} but the values are of type {}",
            other.values.dtype()
        )));
    }
    // TF counts the new dimension here, unlike where it deserialises.
    let rank = |m: &Member| m.shape.num_elements() + 1;
    if let Some(i) = members.iter().position(|m| members.first().is_some_and(|first| rank(m) != rank(first))) {
        return Err(invalid_argument(format!(
            "Inconsistent rank across SparseTensors: rank prior to SparseTensor[{i}] was: {} but rank of SparseTensor[{i}] is: {}",
            rank(&members[0]),
            rank(&members[i])
        )));
    }
    set_batch(ctx, &members, &[members.len() as i64], dtype)
}
