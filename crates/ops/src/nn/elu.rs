//! `Elu`: the exponential linear unit.

use crate::math::backward::{apply, of_one};
use crate::math::elementwise::unary;
use crate::prelude::*;
use ferroflow_math::UnaryOp;

pub const OP: OpSpec = OpSpec {
    signature: "Elu(features: T) -> (activations: T)",
    attrs: "T: type in {half, bfloat16, float, double}",
    doc: "activations = features where positive, else e^features - 1.",
    shape: shape::unchanged,
    gradient: Gradient::Of(|op, grads| of_one(op, grads, |_, y, dy| apply("EluGrad", &[dy, y]))),
    kernels: &[Kernel::cpu(|ctx| unary(ctx, UnaryOp::Elu)).on("T", FLOATS)],
    tolerance: Tolerance::Rounding,
    ..WORDS
};
