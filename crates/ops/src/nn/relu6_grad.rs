//! `Relu6Grad`: the gradient of `Relu6`.

use crate::math::backward::{apply, of_equals};
use crate::math::elementwise::equal_shapes;
use crate::prelude::*;
use ferroflow_math::BinaryOp;

pub const OP: OpSpec = OpSpec {
    signature: "Relu6Grad(gradients: T, features: T) -> (backprops: T)",
    attrs: "T: type in {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64}",
    doc: "backprops = gradients where features (argument or result of Relu6) are between 0 and 6, else 0; of one shape.",
    shape: shape::merged,
    gradient: Gradient::Of(|op, grads| of_equals(op, grads, |p| (apply("Relu6Grad", &[&p.dz, &p.y]), apply("ZerosLike", &[&p.y])))),
    kernels: &[Kernel::cpu(|ctx| equal_shapes(ctx, BinaryOp::Relu6Grad)).on("T", REAL)],
    ..WORDS
};
