//! `AddV2`: the sum, with broadcasting.

use super::backward::of_two;
use super::elementwise::binary;
use crate::prelude::*;
use ferroflow_math::BinaryOp;

pub const OP: OpSpec = OpSpec {
    signature: "AddV2(x: T, y: T) -> (z: T)",
    attrs: "T: type in {bfloat16, half, float, double, uint8, uint16, uint32, uint64, int8, int16, int32, int64, complex64, complex128}",
    flags: "commutative,aggregate",
    doc: "z = x + y, with broadcasting.",
    shape: shape::broadcast,
    gradient: Gradient::Of(|op, grads| of_two(op, grads, |p| (p.dz.clone(), p.dz.clone()))),
    kernels: &[Kernel::cpu(|ctx| binary(ctx, BinaryOp::Add)).on("T", NUMERIC)],
    tolerance: Tolerance::Rounding,
    ..WORDS
};
