//! `RightShift`: bits moved down.

use super::elementwise::binary;
use crate::prelude::*;
use ferroflow_math::BinaryOp;

pub const OP: OpSpec = OpSpec {
    signature: "RightShift(x: T, y: T) -> (z: T)",
    attrs: "T: type in {int8, int16, int32, int64, uint8, uint16, uint32, uint64}",
    doc: "z = the bits of x moved down by y, with broadcasting; signed types keep their sign.",
    shape: shape::broadcast,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(|ctx| binary(ctx, BinaryOp::RightShift)).on("T", INTEGERS)],
    ..WORDS
};
