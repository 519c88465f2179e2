//! `Div`: the quotient, with broadcasting; integers are divided towards zero.

use super::backward::{apply, conj, of_two};
use super::elementwise::binary;
use crate::prelude::*;
use ferroflow_math::BinaryOp;

pub const OP: OpSpec = OpSpec {
    signature: "Div(x: T, y: T) -> (z: T)",
    attrs: "T: type in {bfloat16, half, float, double, uint8, int8, uint16, int16, int32, uint32, uint64, int64, complex64, complex128}",
    doc: "z = x / y, with broadcasting; integers: rounded towards zero.",
    shape: shape::broadcast,
    gradient: Gradient::Of(|op, grads| {
        of_two(op, grads, |p| {
            let y = conj(&p.y);
            (apply("Div", &[&p.dz, &y]), &p.dz * apply("Div", &[&apply("Div", &[&-conj(&p.x), &y]), &y]))
        })
    }),
    kernels: &[Kernel::cpu(|ctx| binary(ctx, BinaryOp::Div)).on("T", NUMERIC)],
    tolerance: Tolerance::Rounding,
    ..WORDS
};
