//! `TopK`: the k largest elements of each row.

use super::largest::{largest, largest_gradient, largest_shape};
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "TopK(input: T) -> (values: T, indices: int32)",
    attrs: "k: int >= 0; sorted: bool = true; T: type in {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64}",
    doc: "values, indices = the k largest elements along the last dimension, largest first, and where they stand.",
    shape: |c| largest_shape(c, Some(c.node().attrs.int("k")?)),
    gradient: Gradient::Of(|op, grads| Ok(vec![largest_gradient(op, grads)?])),
    kernels: &[Kernel::cpu(|ctx| largest(ctx, ctx.node.attrs.int("k")?)).on("T", REAL)],
    ..WORDS
};
