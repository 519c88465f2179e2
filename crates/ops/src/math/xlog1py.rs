//! `Xlog1py`: the product with a logarithm of 1 + y, and 0 where the factor is 0.

use super::backward::{apply, conj, number, of_two};
use super::elementwise::binary;
use crate::prelude::*;
use ferroflow_math::BinaryOp;

pub const OP: OpSpec = OpSpec {
    signature: "Xlog1py(x: T, y: T) -> (z: T)",
    attrs: "T: type in {half, bfloat16, float, double, complex64, complex128}",
    doc: "z = x ln(1 + y), and 0 where x is 0, with broadcasting.",
    shape: shape::broadcast,
    gradient: Gradient::Of(|op, grads| {
        of_two(op, grads, |p| {
            let used = p.x.graph().op("Cast").input(apply("NotEqual", &[&p.x, &number(&p.x, 0.0)])).attr("DstT", p.x.dtype()).output();
            (apply("Xlog1py", &[&used, &conj(&p.y)]) * &p.dz, apply("Xdivy", &[&conj(&p.x), &(1.0 + conj(&p.y))]) * &p.dz)
        })
    }),
    kernels: &[Kernel::cpu(|ctx| binary(ctx, BinaryOp::Xlog1py)).on("T", FLOATS_AND_COMPLEX)],
    tolerance: Tolerance::Rounding,
    ..WORDS
};
