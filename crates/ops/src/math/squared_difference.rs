//! `SquaredDifference`: the square of the difference, with broadcasting.

use super::backward::of_two;
use super::elementwise::binary;
use crate::prelude::*;
use ferroflow_math::BinaryOp;

pub const OP: OpSpec = OpSpec {
    signature: "SquaredDifference(x: T, y: T) -> (z: T)",
    attrs: "T: type in {bfloat16, half, float, double, int32, int64, complex64, complex128}",
    flags: "commutative",
    doc: "z = (x - y)^2 (complex: conj(x - y) (x - y)), with broadcasting.",
    shape: shape::broadcast,
    gradient: Gradient::Of(|op, grads| {
        of_two(op, grads, |p| {
            let dx = (2.0 * &p.dz) * (&p.x - &p.y);
            (dx.clone(), -dx)
        })
    }),
    kernels: &[Kernel::cpu(|ctx| binary(ctx, BinaryOp::SquaredDifference)).on("T", NUMERIC)],
    tolerance: Tolerance::Rounding,
    ..WORDS
};
