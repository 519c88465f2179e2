//! `Equal`: x == y, with broadcasting.

use super::comparison::{COMPARABLE, equality, equality_shape};
use crate::prelude::*;
use ferroflow_math::CompareOp;

pub const OP: OpSpec = OpSpec {
    signature: "Equal(x: T, y: T) -> (z: bool)",
    attrs: "T: type; incompatible_shape_error: bool = true",
    flags: "commutative",
    doc: "z = whether x == y, with broadcasting. Shapes that do not fit are an error, or unequal if incompatible_shape_error is false.",
    shape: equality_shape,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(|ctx| equality(ctx, CompareOp::Equal)).on("T", COMPARABLE)],
    ..WORDS
};
