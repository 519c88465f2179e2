//! `Relu6`: x, kept between 0 and 6.

use crate::math::backward::{apply, of_one};
use crate::math::elementwise::unary;
use crate::prelude::*;
use ferroflow_math::UnaryOp;

pub const OP: OpSpec = OpSpec {
    signature: "Relu6(features: T) -> (activations: T)",
    attrs: "T: type in {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64}",
    doc: "activations = features, kept between 0 and 6.",
    shape: shape::unchanged,
    gradient: Gradient::Of(|op, grads| of_one(op, grads, |_, y, dy| apply("Relu6Grad", &[dy, y]))),
    kernels: &[Kernel::cpu(|ctx| unary(ctx, UnaryOp::Relu6)).on("T", REAL)],
    ..WORDS
};
