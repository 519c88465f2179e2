//! `Sqrt`: the square root, element by element.

use super::backward::{apply, of_one};
use super::elementwise::unary;
use crate::prelude::*;
use ferroflow_math::UnaryOp;

pub const OP: OpSpec = OpSpec {
    signature: "Sqrt(x: T) -> (y: T)",
    attrs: "T: type in {bfloat16, half, float, double, complex64, complex128}",
    doc: "y = the square root of x.",
    shape: shape::unchanged,
    gradient: Gradient::Of(|op, grads| of_one(op, grads, |_, y, dy| apply("SqrtGrad", &[y, dy]))),
    kernels: &[Kernel::cpu(|ctx| unary(ctx, UnaryOp::Sqrt)).on("T", FLOATS_AND_COMPLEX)],
    tolerance: Tolerance::Rounding,
    ..WORDS
};
