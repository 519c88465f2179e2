//! `Rint`: rounding to the nearest, element by element.

use super::elementwise::unary;
use crate::prelude::*;
use ferroflow_math::UnaryOp;

pub const OP: OpSpec = OpSpec {
    signature: "Rint(x: T) -> (y: T)",
    attrs: "T: type in {bfloat16, half, float, double}",
    doc: "y = the nearest integer, halves to the even one.",
    shape: shape::unchanged,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(|ctx| unary(ctx, UnaryOp::Round)).on("T", FLOATS)],
    ..WORDS
};
