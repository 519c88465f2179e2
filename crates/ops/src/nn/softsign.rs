//! `Softsign`: a smooth sign.

use crate::math::backward::{apply, of_one};
use crate::math::elementwise::unary;
use crate::prelude::*;
use ferroflow_math::UnaryOp;

pub const OP: OpSpec = OpSpec {
    signature: "Softsign(features: T) -> (activations: T)",
    attrs: "T: type in {half, bfloat16, float, double}",
    doc: "activations = features / (1 + |features|).",
    shape: shape::unchanged,
    gradient: Gradient::Of(|op, grads| of_one(op, grads, |x, _, dy| apply("SoftsignGrad", &[dy, x]))),
    kernels: &[Kernel::cpu(|ctx| unary(ctx, UnaryOp::Softsign)).on("T", FLOATS)],
    tolerance: Tolerance::Rounding,
    ..WORDS
};
