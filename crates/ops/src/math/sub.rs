//! `Sub`: the difference, with broadcasting.

use super::backward::of_two;
use super::elementwise::binary;
use crate::prelude::*;
use ferroflow_math::BinaryOp;

pub const OP: OpSpec = OpSpec {
    signature: "Sub(x: T, y: T) -> (z: T)",
    attrs: "T: type in {bfloat16, half, float, double, uint8, int8, uint16, int16, int32, int64, complex64, complex128, uint32, uint64}",
    doc: "z = x - y, with broadcasting.",
    shape: shape::broadcast,
    gradient: Gradient::Of(|op, grads| of_two(op, grads, |p| (p.dz.clone(), -&p.dz))),
    kernels: &[Kernel::cpu(|ctx| binary(ctx, BinaryOp::Sub)).on("T", NUMERIC)],
    tolerance: Tolerance::Rounding,
    ..WORDS
};
