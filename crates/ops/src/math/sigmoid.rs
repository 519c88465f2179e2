//! `Sigmoid`: the logistic function, element by element.

use super::backward::{apply, of_one};
use super::elementwise::unary;
use crate::prelude::*;
use ferroflow_math::UnaryOp;

pub const OP: OpSpec = OpSpec {
    signature: "Sigmoid(x: T) -> (y: T)",
    attrs: "T: type in {bfloat16, half, float, double, complex64, complex128}",
    doc: "y = 1 / (1 + e^-x).",
    shape: shape::unchanged,
    gradient: Gradient::Of(|op, grads| of_one(op, grads, |_, y, dy| apply("SigmoidGrad", &[y, dy]))),
    kernels: &[Kernel::cpu(|ctx| unary(ctx, UnaryOp::Sigmoid)).on("T", FLOATS_AND_COMPLEX)],
    tolerance: Tolerance::Rounding,
    ..WORDS
};
