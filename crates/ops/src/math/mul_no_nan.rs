//! `MulNoNan`: the product, and 0 where the right factor is 0.

use super::backward::{apply, conj, of_two};
use super::elementwise::binary;
use crate::prelude::*;
use ferroflow_math::BinaryOp;

pub const OP: OpSpec = OpSpec {
    signature: "MulNoNan(x: T, y: T) -> (z: T)",
    attrs: "T: type in {bfloat16, half, float, double, complex64, complex128}",
    doc: "z = x y, and 0 where y is 0 even if x is infinite or NaN, with broadcasting.",
    shape: shape::broadcast,
    gradient: Gradient::Of(|op, grads| {
        of_two(op, grads, |p| (apply("MulNoNan", &[&p.dz, &conj(&p.y)]), apply("MulNoNan", &[&conj(&p.x), &p.dz])))
    }),
    kernels: &[Kernel::cpu(|ctx| binary(ctx, BinaryOp::MulNoNan)).on("T", FLOATS_AND_COMPLEX)],
    tolerance: Tolerance::Rounding,
    ..WORDS
};
