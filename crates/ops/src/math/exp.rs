//! `Exp`: the exponential, element by element.

use super::backward::{conj, of_one};
use super::elementwise::unary;
use crate::prelude::*;
use ferroflow_math::UnaryOp;

pub const OP: OpSpec = OpSpec {
    signature: "Exp(x: T) -> (y: T)",
    attrs: "T: type in {bfloat16, half, float, double, complex64, complex128}",
    doc: "y = e^x.",
    shape: shape::unchanged,
    gradient: Gradient::Of(|op, grads| of_one(op, grads, |_, y, dy| dy * conj(y))),
    kernels: &[Kernel::cpu(|ctx| unary(ctx, UnaryOp::Exp)).on("T", FLOATS_AND_COMPLEX)],
    tolerance: Tolerance::Rounding,
    ..WORDS
};
