//! `DeserializeManySparse`: a batch of serialised sparse tensors as one.

use super::serialized::{Member, batch_shape, set_batch, unpack};
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "DeserializeManySparse(serialized_sparse: string) -> (sparse_indices: int64, sparse_values: dtype, sparse_shape: int64)",
    attrs: "dtype: type",
    doc: "The sparse tensor of `[n, 3]` serialised ones, each a part along a new first dimension.",
    shape: batch_shape,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(compute)],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let x = ctx.input(0)?;
    let [n, 3] = *x.dims() else {
        return Err(invalid_argument(format!("Input serialized_sparse should be a matrix of 3 columns but received shape {}", x.shape())));
    };
    if n == 0 {
        return Err(invalid_argument("Must have at least 1 serialized SparseTensor, but input matrix has 0 rows"));
    }
    let dtype = ctx.node.output_types[1].dtype;
    let members: Vec<Member> = unpack(x)?.chunks_exact(3).map(|parts| Member::new(parts, dtype)).collect::<Result<_>>()?;
    set_batch(ctx, &members, &[n], dtype)
}
