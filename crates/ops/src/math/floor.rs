//! `Floor`: rounding down, element by element.

use super::elementwise::unary;
use crate::prelude::*;
use ferroflow_math::UnaryOp;

pub const OP: OpSpec = OpSpec {
    signature: "Floor(x: T) -> (y: T)",
    attrs: "T: type in {bfloat16, half, float, double}",
    doc: "y = the largest integer not above x.",
    shape: shape::unchanged,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(|ctx| unary(ctx, UnaryOp::Floor)).on("T", FLOATS)],
    ..WORDS
};
