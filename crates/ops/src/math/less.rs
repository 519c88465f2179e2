//! `Less`: x < y, with broadcasting.

use super::comparison::comparison;
use crate::prelude::*;
use ferroflow_math::CompareOp;

pub const OP: OpSpec = OpSpec {
    signature: "Less(x: T, y: T) -> (z: bool)",
    attrs: "T: type in {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64}",
    doc: "z = whether x < y, with broadcasting; false for NaN.",
    shape: shape::broadcast,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(|ctx| comparison(ctx, CompareOp::Less)).on("T", REAL)],
    ..WORDS
};
