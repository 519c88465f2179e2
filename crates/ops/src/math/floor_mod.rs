//! `FloorMod`: the remainder that has the sign of the divisor, as in Python.

use super::backward::{apply, of_two};
use super::elementwise::binary;
use crate::prelude::*;
use ferroflow_math::BinaryOp;

pub const OP: OpSpec = OpSpec {
    signature: "FloorMod(x: T, y: T) -> (z: T)",
    attrs: "T: type in {int8, int16, int32, int64, uint8, uint16, uint32, uint64, bfloat16, half, float, double}",
    doc: "z = x - y floor(x / y), with broadcasting.",
    shape: shape::broadcast,
    gradient: Gradient::Of(|op, grads| of_two(op, grads, |p| (p.dz.clone(), -(&p.dz * apply("FloorDiv", &[&p.x, &p.y]))))),
    kernels: &[Kernel::cpu(|ctx| binary(ctx, BinaryOp::FloorMod)).on("T", REAL)],
    tolerance: Tolerance::Rounding,
    ..WORDS
};
