//! `Sign`: the sign, element by element.

use super::elementwise::unary;
use crate::prelude::*;
use ferroflow_math::UnaryOp;

pub const OP: OpSpec = OpSpec {
    signature: "Sign(x: T) -> (y: T)",
    attrs: "T: type in {bfloat16, half, float, double, int8, int16, int32, int64, complex64, complex128}",
    doc: "y = -1, 0 or 1 with the sign of x; complex: x / |x|.",
    shape: shape::unchanged,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(|ctx| unary(ctx, UnaryOp::Sign)).on("T", NUMERIC)],
    tolerance: Tolerance::Rounding,
    ..WORDS
};
