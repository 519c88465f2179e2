//! `Softplus`: a smooth `Relu`.

use crate::math::backward::{apply, of_one};
use crate::math::elementwise::unary;
use crate::prelude::*;
use ferroflow_math::UnaryOp;

pub const OP: OpSpec = OpSpec {
    signature: "Softplus(features: T) -> (activations: T)",
    attrs: "T: type in {half, bfloat16, float, double}",
    doc: "activations = ln(1 + e^features).",
    shape: shape::unchanged,
    gradient: Gradient::Of(|op, grads| of_one(op, grads, |x, _, dy| apply("SoftplusGrad", &[dy, x]))),
    kernels: &[Kernel::cpu(|ctx| unary(ctx, UnaryOp::Softplus)).on("T", FLOATS)],
    tolerance: Tolerance::Rounding,
    ..WORDS
};
