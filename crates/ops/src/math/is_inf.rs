//! `IsInf`: which elements are infinite.

use super::elementwise::classify;
use crate::prelude::*;
use ferroflow_math::FloatClass;

pub const OP: OpSpec = OpSpec {
    signature: "IsInf(x: T) -> (y: bool)",
    attrs: "T: type in {bfloat16, half, float, double}",
    doc: "y = whether x is infinite.",
    shape: shape::unchanged,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(|ctx| classify(ctx, FloatClass::IsInf)).on("T", FLOATS)],
    ..WORDS
};
