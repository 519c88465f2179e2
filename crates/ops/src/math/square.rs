//! `Square`: the square, element by element.

use super::backward::{conj, of_one};
use super::elementwise::unary;
use crate::prelude::*;
use ferroflow_math::UnaryOp;

pub const OP: OpSpec = OpSpec {
    signature: "Square(x: T) -> (y: T)",
    attrs: "T: type in {bfloat16, half, float, double, int8, int16, int32, int64, uint8, uint16, uint32, uint64, complex64, complex128}",
    doc: "y = x x.",
    shape: shape::unchanged,
    gradient: Gradient::Of(|op, grads| of_one(op, grads, |x, _, dy| dy * (2.0 * conj(x)))),
    kernels: &[Kernel::cpu(|ctx| unary(ctx, UnaryOp::Square)).on("T", NUMERIC)],
    ..WORDS
};
