//! `SigmoidGrad`: the gradient of `Sigmoid`.

use super::backward::{apply, conj, of_equals};
use super::elementwise::equal_shapes;
use crate::prelude::*;
use ferroflow_math::BinaryOp;

pub const OP: OpSpec = OpSpec {
    signature: "SigmoidGrad(y: T, dy: T) -> (z: T)",
    attrs: "T: type in {bfloat16, half, float, double, complex64, complex128}",
    doc: "z = dy y (1 - y), where y is the result of Sigmoid and dy the incoming gradient, of one shape.",
    shape: shape::merged,
    gradient: Gradient::Of(|op, grads| {
        of_equals(op, grads, |p| {
            let (y, scaled) = (conj(&p.x), &p.dz * conj(&p.y));
            (&scaled - 2.0 * &scaled * &y, apply("SigmoidGrad", &[&y, &p.dz]))
        })
    }),
    kernels: &[Kernel::cpu(|ctx| equal_shapes(ctx, BinaryOp::SigmoidGrad)).on("T", FLOATS_AND_COMPLEX)],
    tolerance: Tolerance::Rounding,
    ..WORDS
};
