//! `Invert`: the bitwise complement, element by element.

use super::elementwise::unary;
use crate::prelude::*;
use ferroflow_math::UnaryOp;

pub const OP: OpSpec = OpSpec {
    signature: "Invert(x: T) -> (y: T)",
    attrs: "T: type in {int8, int16, int32, int64, uint8, uint16, uint32, uint64}",
    doc: "y = x with all bits flipped.",
    shape: shape::unchanged,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(|ctx| unary(ctx, UnaryOp::Invert)).on("T", INTEGERS)],
    ..WORDS
};
