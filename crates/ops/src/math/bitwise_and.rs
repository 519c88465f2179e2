//! `BitwiseAnd`: bitwise and.

use super::elementwise::binary;
use crate::prelude::*;
use ferroflow_math::BinaryOp;

pub const OP: OpSpec = OpSpec {
    signature: "BitwiseAnd(x: T, y: T) -> (z: T)",
    attrs: "T: type in {int8, int16, int32, int64, uint8, uint16, uint32, uint64}",
    flags: "commutative",
    doc: "z = the bits of x and those of y, with broadcasting.",
    shape: shape::broadcast,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(|ctx| binary(ctx, BinaryOp::BitwiseAnd)).on("T", INTEGERS)],
    ..WORDS
};
