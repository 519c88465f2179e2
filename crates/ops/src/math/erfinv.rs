//! `Erfinv`: the inverse of the error function, element by element.

use super::double_map::one;
use super::special::erfinv;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "Erfinv(x: T) -> (y: T)",
    attrs: "T: type in {bfloat16, half, float, double}",
    doc: "y = the inverse of the error function.",
    shape: shape::unchanged,
    kernels: &[Kernel::cpu(|ctx| one(ctx, erfinv)).on("T", FLOATS)],
    tolerance: Tolerance::Within(1e-4),
    ..WORDS
};
