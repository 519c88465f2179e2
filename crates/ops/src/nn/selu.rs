//! `Selu`: the scaled exponential linear unit.

use crate::math::backward::{apply, of_one};
use crate::math::elementwise::unary;
use crate::prelude::*;
use ferroflow_math::UnaryOp;

pub const OP: OpSpec = OpSpec {
    signature: "Selu(features: T) -> (activations: T)",
    attrs: "T: type in {half, bfloat16, float, double}",
    doc: "activations = 1.0507 (features where positive, else 1.6733 (e^features - 1)).",
    shape: shape::unchanged,
    gradient: Gradient::Of(|op, grads| of_one(op, grads, |_, y, dy| apply("SeluGrad", &[dy, y]))),
    kernels: &[Kernel::cpu(|ctx| unary(ctx, UnaryOp::Selu)).on("T", FLOATS)],
    tolerance: Tolerance::Rounding,
    ..WORDS
};
