//! `Polygamma`: the a-th derivative of the digamma function, element by element.

use super::double_map::two;
use super::special::polygamma;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "Polygamma(a: T, x: T) -> (z: T)",
    attrs: "T: type in {float, double}",
    doc: "The a-th derivative of the digamma function.",
    shape: shape::broadcast,
    kernels: &[Kernel::cpu(|ctx| two(ctx, polygamma)).on("T", WIDE_FLOATS)],
    tolerance: Tolerance::Within(1e-4),
    ..WORDS
};
