//! `DivNoNan`: the quotient, and 0 where the divisor is 0.

use super::backward::{apply, conj, of_two};
use super::elementwise::binary;
use crate::prelude::*;
use ferroflow_math::BinaryOp;

pub const OP: OpSpec = OpSpec {
    signature: "DivNoNan(x: T, y: T) -> (z: T)",
    attrs: "T: type in {half, float, bfloat16, double, complex64, complex128}",
    doc: "z = x / y, and 0 where y is 0, with broadcasting.",
    shape: shape::broadcast,
    gradient: Gradient::Of(|op, grads| {
        of_two(op, grads, |p| {
            let y = conj(&p.y);
            let quotient = apply("DivNoNan", &[&apply("DivNoNan", &[&-conj(&p.x), &y]), &y]);
            (apply("DivNoNan", &[&p.dz, &y]), &p.dz * quotient)
        })
    }),
    kernels: &[Kernel::cpu(|ctx| binary(ctx, BinaryOp::DivNoNan)).on("T", FLOATS_AND_COMPLEX)],
    tolerance: Tolerance::Rounding,
    ..WORDS
};
