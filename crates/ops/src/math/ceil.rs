//! `Ceil`: rounding up, element by element.

use super::elementwise::unary;
use crate::prelude::*;
use ferroflow_math::UnaryOp;

pub const OP: OpSpec = OpSpec {
    signature: "Ceil(x: T) -> (y: T)",
    attrs: "T: type in {bfloat16, half, float, double}",
    doc: "y = the smallest integer not below x.",
    shape: shape::unchanged,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(|ctx| unary(ctx, UnaryOp::Ceil)).on("T", FLOATS)],
    ..WORDS
};
