//! `Lgamma`: the logarithm of the gamma function, element by element.

use super::backward::{apply, of_one};
use super::elementwise::unary;
use crate::prelude::*;
use ferroflow_math::UnaryOp;

pub const OP: OpSpec = OpSpec {
    signature: "Lgamma(x: T) -> (y: T)",
    attrs: "T: type in {bfloat16, half, float, double}",
    doc: "y = ln |gamma(x)|.",
    shape: shape::unchanged,
    gradient: Gradient::Of(|op, grads| of_one(op, grads, |x, _, dy| dy * apply("Digamma", &[x]))),
    kernels: &[Kernel::cpu(|ctx| unary(ctx, UnaryOp::Lgamma)).on("T", FLOATS)],
    tolerance: Tolerance::Rounding,
    ..WORDS
};
