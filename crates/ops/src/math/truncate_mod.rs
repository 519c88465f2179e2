//! `TruncateMod`: the remainder that has the sign of the dividend, as in C.

use super::elementwise::binary;
use crate::prelude::*;
use ferroflow_math::BinaryOp;

pub const OP: OpSpec = OpSpec {
    signature: "TruncateMod(x: T, y: T) -> (z: T)",
    attrs: "T: type in {int32, int64, bfloat16, half, float, double}",
    doc: "z = x - y trunc(x / y), with broadcasting.",
    shape: shape::broadcast,
    kernels: &[Kernel::cpu(|ctx| binary(ctx, BinaryOp::Mod)).on("T", REAL)],
    tolerance: Tolerance::Rounding,
    ..WORDS
};
