//! `IsFinite`: which elements are neither infinite nor NaN.

use super::elementwise::classify;
use crate::prelude::*;
use ferroflow_math::FloatClass;

pub const OP: OpSpec = OpSpec {
    signature: "IsFinite(x: T) -> (y: bool)",
    attrs: "T: type in {bfloat16, half, float, double}",
    doc: "y = whether x is neither infinite nor NaN.",
    shape: shape::unchanged,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(|ctx| classify(ctx, FloatClass::IsFinite)).on("T", FLOATS)],
    ..WORDS
};
