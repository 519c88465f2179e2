//! `LogicalOr`: logical or, with broadcasting.

use super::comparison::connective;
use crate::prelude::*;
use ferroflow_math::LogicalOp;

pub const OP: OpSpec = OpSpec {
    signature: "LogicalOr(x: bool, y: bool) -> (z: bool)",
    flags: "commutative",
    doc: "z = x or y, with broadcasting.",
    shape: shape::broadcast,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(|ctx| connective(ctx, LogicalOp::Or))],
    ..WORDS
};
