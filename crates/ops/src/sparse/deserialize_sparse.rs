//! `DeserializeSparse`: sparse tensors put together from their serialised parts.

use super::serialized::{Member, batch_shape, set_batch, unpack};
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "DeserializeSparse(serialized_sparse: Tserialized) -> (sparse_indices: int64, sparse_values: dtype, sparse_shape: int64)",
    attrs: "dtype: type; Tserialized: type in {string, variant} = string",
    doc: "The sparse tensor of `[..., 3]` serialised ones, with the dimensions in front of the 3 in front of theirs.",
    shape: batch_shape,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(compute)],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let x = ctx.input(0)?;
    let Some((&3, outer)) = x.dims().split_last() else {
        return Err(invalid_argument(format!("Serialized sparse should have 3 as the last dimension but received shape {}", x.shape())));
    };
    let outer = outer.to_vec();
    if x.num_elements() == 0 {
        return Err(invalid_argument("Serialized sparse should have non-zero first dimension 0"));
    }
    let dtype = ctx.node.output_types[1].dtype;
    let members: Vec<Member> = unpack(x)?.chunks_exact(3).map(|parts| Member::new(parts, dtype)).collect::<Result<_>>()?;
    set_batch(ctx, &members, &outer, dtype)
}
