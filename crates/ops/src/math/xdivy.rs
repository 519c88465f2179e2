//! `Xdivy`: the quotient, and 0 where the dividend is 0.

use super::backward::{apply, conj, number, of_two};
use super::elementwise::binary;
use crate::prelude::*;
use ferroflow_math::BinaryOp;

pub const OP: OpSpec = OpSpec {
    signature: "Xdivy(x: T, y: T) -> (z: T)",
    attrs: "T: type in {half, bfloat16, float, double, complex64, complex128}",
    doc: "z = x / y, and 0 where x is 0, with broadcasting.",
    shape: shape::broadcast,
    gradient: Gradient::Of(|op, grads| {
        of_two(op, grads, |p| {
            let used = p.x.graph().op("Cast").input(apply("NotEqual", &[&p.x, &number(&p.x, 0.0)])).attr("DstT", p.x.dtype()).output();
            let by_y = apply("Xdivy", &[&-conj(&p.x), &apply("Square", &[&conj(&p.y)])]);
            (apply("Xdivy", &[&used, &conj(&p.y)]) * &p.dz, by_y * &p.dz)
        })
    }),
    kernels: &[Kernel::cpu(|ctx| binary(ctx, BinaryOp::Xdivy)).on("T", FLOATS_AND_COMPLEX)],
    tolerance: Tolerance::Rounding,
    ..WORDS
};
