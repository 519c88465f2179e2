//! `Mul`: the product, with broadcasting.

use super::backward::{conj, of_two};
use super::elementwise::binary;
use crate::prelude::*;
use ferroflow_math::BinaryOp;

pub const OP: OpSpec = OpSpec {
    signature: "Mul(x: T, y: T) -> (z: T)",
    attrs: "T: type in {bfloat16, half, float, double, uint8, int8, uint16, int16, int32, uint32, uint64, int64, complex64, complex128}",
    flags: "commutative",
    doc: "z = x y, with broadcasting.",
    shape: shape::broadcast,
    gradient: Gradient::Of(|op, grads| of_two(op, grads, |p| (&p.dz * conj(&p.y), &p.dz * conj(&p.x)))),
    kernels: &[Kernel::cpu(|ctx| binary(ctx, BinaryOp::Mul)).on("T", NUMERIC)],
    tolerance: Tolerance::Rounding,
    ..WORDS
};
