//! `LeftShift`: bits moved up.

use super::elementwise::binary;
use crate::prelude::*;
use ferroflow_math::BinaryOp;

pub const OP: OpSpec = OpSpec {
    signature: "LeftShift(x: T, y: T) -> (z: T)",
    attrs: "T: type in {int8, int16, int32, int64, uint8, uint16, uint32, uint64}",
    doc: "z = the bits of x moved up by y, with broadcasting.",
    shape: shape::broadcast,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(|ctx| binary(ctx, BinaryOp::LeftShift)).on("T", INTEGERS)],
    ..WORDS
};
