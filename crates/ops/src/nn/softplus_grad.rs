//! `SoftplusGrad`: the gradient of `Softplus`.

use crate::math::backward::{apply, of_equals};
use crate::math::elementwise::equal_shapes;
use crate::prelude::*;
use ferroflow_math::BinaryOp;

pub const OP: OpSpec = OpSpec {
    signature: "SoftplusGrad(gradients: T, features: T) -> (backprops: T)",
    attrs: "T: type in {half, bfloat16, float, double}",
    doc: "backprops = gradients / (1 + e^-features); of one shape.",
    shape: shape::merged,
    gradient: Gradient::Of(|op, grads| {
        of_equals(op, grads, |p| {
            let slope = apply("Exp", &[&-&p.y]) + 2.0 + apply("Exp", &[&p.y]);
            (apply("SoftplusGrad", &[&p.dz, &p.y]), &p.dz * &p.x / slope)
        })
    }),
    kernels: &[Kernel::cpu(|ctx| equal_shapes(ctx, BinaryOp::SoftplusGrad)).on("T", FLOATS)],
    tolerance: Tolerance::Rounding,
    ..WORDS
};
