//! `Abs`: the absolute value, element by element.

use super::backward::{apply, of_one};
use super::elementwise::unary;
use crate::prelude::*;
use ferroflow_math::UnaryOp;

pub const OP: OpSpec = OpSpec {
    signature: "Abs(x: T) -> (y: T)",
    attrs: "T: type in {bfloat16, half, float, double, int8, int16, int32, int64}",
    doc: "y = |x|.",
    shape: shape::unchanged,
    gradient: Gradient::Of(|op, grads| of_one(op, grads, |x, _, dy| dy * apply("Sign", &[x]))),
    kernels: &[Kernel::cpu(|ctx| unary(ctx, UnaryOp::Abs)).on("T", REAL)],
    ..WORDS
};
