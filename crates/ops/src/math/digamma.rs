//! `Digamma`: the derivative of `Lgamma`, element by element.

use super::elementwise::unary;
use crate::prelude::*;
use ferroflow_math::UnaryOp;

pub const OP: OpSpec = OpSpec {
    signature: "Digamma(x: T) -> (y: T)",
    attrs: "T: type in {bfloat16, half, float, double}",
    doc: "y = the derivative of ln |gamma(x)|.",
    shape: shape::unchanged,
    kernels: &[Kernel::cpu(|ctx| unary(ctx, UnaryOp::Digamma)).on("T", FLOATS)],
    tolerance: Tolerance::Rounding,
    ..WORDS
};
