//! `TopKV2`: the k largest elements of each row, k being an argument.

use super::largest::{largest, largest_gradient, largest_shape};
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "TopKV2(input: T, k: Tk) -> (values: T, indices: index_type)",
    attrs: "sorted: bool = true; T: type in {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64}; Tk: type in {int16, int32, int64} = int32; index_type: type in {int16, int32, int64} = int32",
    doc: "values, indices = the k largest elements along the last dimension, largest first, and where they stand.",
    shape: top_shape,
    gradient: Gradient::Of(|op, grads| Ok(vec![largest_gradient(op, grads)?, None])),
    kernels: &[Kernel::cpu(compute).on("T", REAL)],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let k = ctx.input(1)?;
    if k.rank() != 0 {
        return Err(invalid_argument(format!("k must be scalar, got shape {}", k.shape())));
    }
    let k = k.to_i64()?;
    largest(ctx, k)
}

fn top_shape(c: &mut ShapeContext) -> Result<()> {
    let k = c.constant(1).map(|k| k.to_i64()).transpose()?.filter(|k| *k >= 0);
    largest_shape(c, k)
}
