//! `SoftsignGrad`: the gradient of `Softsign`.

use crate::math::elementwise::equal_shapes;
use crate::prelude::*;
use ferroflow_math::BinaryOp;

pub const OP: OpSpec = OpSpec {
    signature: "SoftsignGrad(gradients: T, features: T) -> (backprops: T)",
    attrs: "T: type in {half, bfloat16, float, double}",
    doc: "backprops = gradients / (1 + |features|)^2; of one shape.",
    shape: shape::merged,
    kernels: &[Kernel::cpu(|ctx| equal_shapes(ctx, BinaryOp::SoftsignGrad)).on("T", FLOATS)],
    tolerance: Tolerance::Rounding,
    ..WORDS
};
