//! `Erf`: the error function, element by element.

use super::backward::{apply, of_one};
use super::elementwise::unary;
use crate::prelude::*;
use ferroflow_math::UnaryOp;

pub const OP: OpSpec = OpSpec {
    signature: "Erf(x: T) -> (y: T)",
    attrs: "T: type in {bfloat16, half, float, double}",
    doc: "y = the error function of x.",
    shape: shape::unchanged,
    gradient: Gradient::Of(|op, grads| {
        of_one(op, grads, |x, _, dy| dy * (std::f64::consts::FRAC_2_SQRT_PI * apply("Exp", &[&-apply("Square", &[x])])))
    }),
    kernels: &[Kernel::cpu(|ctx| unary(ctx, UnaryOp::Erf)).on("T", FLOATS)],
    tolerance: Tolerance::Rounding,
    ..WORDS
};
