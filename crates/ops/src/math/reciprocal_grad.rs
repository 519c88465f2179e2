//! `ReciprocalGrad`: the gradient of `Reciprocal`.

use super::backward::{apply, conj, of_equals};
use super::elementwise::equal_shapes;
use crate::prelude::*;
use ferroflow_math::BinaryOp;

pub const OP: OpSpec = OpSpec {
    signature: "ReciprocalGrad(y: T, dy: T) -> (z: T)",
    attrs: "T: type in {bfloat16, half, float, double, complex64, complex128}",
    doc: "z = -dy y y, where y is the result of Reciprocal and dy the incoming gradient, of one shape.",
    shape: shape::merged,
    gradient: Gradient::Of(|op, grads| {
        of_equals(op, grads, |p| {
            let y = conj(&p.x);
            (-2.0 * &p.dz * conj(&p.y) * &y, apply("ReciprocalGrad", &[&y, &p.dz]))
        })
    }),
    kernels: &[Kernel::cpu(|ctx| equal_shapes(ctx, BinaryOp::InvGrad)).on("T", FLOATS_AND_COMPLEX)],
    tolerance: Tolerance::Rounding,
    ..WORDS
};
