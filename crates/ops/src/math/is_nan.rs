//! `IsNan`: which elements are NaN.

use super::elementwise::classify;
use crate::prelude::*;
use ferroflow_math::FloatClass;

pub const OP: OpSpec = OpSpec {
    signature: "IsNan(x: T) -> (y: bool)",
    attrs: "T: type in {bfloat16, half, float, double}",
    doc: "y = whether x is NaN.",
    shape: shape::unchanged,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(|ctx| classify(ctx, FloatClass::IsNan)).on("T", FLOATS)],
    ..WORDS
};
