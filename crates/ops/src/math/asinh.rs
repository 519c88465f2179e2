//! `Asinh`: the inverse hyperbolic sine, element by element.

use super::backward::{apply, conj, of_one};
use super::elementwise::unary;
use crate::prelude::*;
use ferroflow_math::UnaryOp;

pub const OP: OpSpec = OpSpec {
    signature: "Asinh(x: T) -> (y: T)",
    attrs: "T: type in {bfloat16, half, float, double, complex64, complex128}",
    doc: "y = arsinh x.",
    shape: shape::unchanged,
    gradient: Gradient::Of(|op, grads| of_one(op, grads, |_, y, dy| dy / apply("Cosh", &[&conj(y)]))),
    kernels: &[Kernel::cpu(|ctx| unary(ctx, UnaryOp::Asinh)).on("T", FLOATS_AND_COMPLEX)],
    tolerance: Tolerance::Rounding,
    ..WORDS
};
