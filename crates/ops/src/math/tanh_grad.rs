//! `TanhGrad`: the gradient of `Tanh`.

use super::backward::{apply, conj, of_equals};
use super::elementwise::equal_shapes;
use crate::prelude::*;
use ferroflow_math::BinaryOp;

pub const OP: OpSpec = OpSpec {
    signature: "TanhGrad(y: T, dy: T) -> (z: T)",
    attrs: "T: type in {bfloat16, half, float, double, complex64, complex128}",
    doc: "z = dy (1 - y y), where y is the result of Tanh and dy the incoming gradient, of one shape.",
    shape: shape::merged,
    gradient: Gradient::Of(|op, grads| {
        of_equals(op, grads, |p| {
            let (y, dy) = (conj(&p.x), conj(&p.y));
            (-(2.0 * &p.dz * dy * &y), apply("TanhGrad", &[&y, &p.dz]))
        })
    }),
    kernels: &[Kernel::cpu(|ctx| equal_shapes(ctx, BinaryOp::TanhGrad)).on("T", FLOATS_AND_COMPLEX)],
    tolerance: Tolerance::Rounding,
    ..WORDS
};
