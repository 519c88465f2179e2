//! `SeluGrad`: the gradient of `Selu`.

use crate::math::backward::{apply, number, of_equals, where_true};
use crate::math::elementwise::equal_shapes;
use crate::prelude::*;
use ferroflow_math::BinaryOp;

pub const OP: OpSpec = OpSpec {
    signature: "SeluGrad(gradients: T, outputs: T) -> (backprops: T)",
    attrs: "T: type in {half, bfloat16, float, double}",
    doc: "backprops = gradients times the slope of Selu, told from its result outputs; of one shape.",
    shape: shape::merged,
    gradient: Gradient::Of(|op, grads| {
        of_equals(op, grads, |p| {
            let below = apply("Less", &[&p.y, &number(&p.y, 0.0)]);
            (apply("SeluGrad", &[&p.dz, &p.y]), where_true(&below, &(&p.dz * &p.x)))
        })
    }),
    kernels: &[Kernel::cpu(|ctx| equal_shapes(ctx, BinaryOp::SeluGrad)).on("T", FLOATS)],
    tolerance: Tolerance::Rounding,
    ..WORDS
};
