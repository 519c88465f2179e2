//! `SqrtGrad`: the gradient of `Sqrt`.

use super::backward::{conj, of_equals};
use super::elementwise::equal_shapes;
use crate::prelude::*;
use ferroflow_math::BinaryOp;

pub const OP: OpSpec = OpSpec {
    signature: "SqrtGrad(y: T, dy: T) -> (z: T)",
    attrs: "T: type in {bfloat16, half, float, double, complex64, complex128}",
    doc: "z = dy / 2 / y, where y is the result of Sqrt and dy the incoming gradient, of one shape.",
    shape: shape::merged,
    gradient: Gradient::Of(|op, grads| {
        of_equals(op, grads, |p| {
            let scaled = &p.dz / conj(&p.x);
            (-(&scaled * conj(&p.z)), 0.5 * scaled)
        })
    }),
    kernels: &[Kernel::cpu(|ctx| equal_shapes(ctx, BinaryOp::SqrtGrad)).on("T", FLOATS_AND_COMPLEX)],
    tolerance: Tolerance::Rounding,
    ..WORDS
};
