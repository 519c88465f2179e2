//! `Reciprocal`: the reciprocal, element by element.

use super::backward::{apply, of_one};
use super::elementwise::unary;
use crate::prelude::*;
use ferroflow_math::UnaryOp;

pub const OP: OpSpec = OpSpec {
    signature: "Reciprocal(x: T) -> (y: T)",
    attrs: "T: type in {bfloat16, half, float, double, int8, int16, int32, int64, complex64, complex128}",
    doc: "y = 1 / x.",
    shape: shape::unchanged,
    gradient: Gradient::Of(|op, grads| of_one(op, grads, |_, y, dy| apply("ReciprocalGrad", &[y, dy]))),
    kernels: &[Kernel::cpu(|ctx| unary(ctx, UnaryOp::Inv)).on("T", NUMERIC)],
    tolerance: Tolerance::Rounding,
    ..WORDS
};
