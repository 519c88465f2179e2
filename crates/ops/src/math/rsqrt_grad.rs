//! `RsqrtGrad`: the gradient of `Rsqrt`.

use super::backward::{apply, conj, of_equals};
use super::elementwise::equal_shapes;
use crate::prelude::*;
use ferroflow_math::BinaryOp;

pub const OP: OpSpec = OpSpec {
    signature: "RsqrtGrad(y: T, dy: T) -> (z: T)",
    attrs: "T: type in {bfloat16, half, float, double, complex64, complex128}",
    doc: "z = -dy / 2 y^3, where y is the result of Rsqrt and dy the incoming gradient, of one shape.",
    shape: shape::merged,
    gradient: Gradient::Of(|op, grads| {
        of_equals(op, grads, |p| {
            let y = conj(&p.x);
            (-1.5 * &p.dz * conj(&p.y) * apply("Square", &[&y]), apply("RsqrtGrad", &[&y, &p.dz]))
        })
    }),
    kernels: &[Kernel::cpu(|ctx| equal_shapes(ctx, BinaryOp::RsqrtGrad)).on("T", FLOATS_AND_COMPLEX)],
    tolerance: Tolerance::Rounding,
    ..WORDS
};
