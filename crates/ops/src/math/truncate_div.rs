//! `TruncateDiv`: the quotient, rounded towards zero.

use super::elementwise::binary;
use crate::prelude::*;
use ferroflow_math::BinaryOp;

pub const OP: OpSpec = OpSpec {
    signature: "TruncateDiv(x: T, y: T) -> (z: T)",
    attrs: "T: type in {bfloat16, half, float, double, uint8, int8, uint16, int16, int32, uint32, uint64, int64, complex64, complex128}",
    doc: "z = x / y rounded towards zero, with broadcasting.",
    shape: shape::broadcast,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(|ctx| binary(ctx, BinaryOp::TruncateDiv)).on("T", REAL)],
    tolerance: Tolerance::Rounding,
    ..WORDS
};
