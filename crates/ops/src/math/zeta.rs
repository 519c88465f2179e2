//! `Zeta`: Hurwitz's zeta, the sum of (q + n)^-x, element by element.

use super::double_map::two;
use super::special::zeta;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "Zeta(x: T, q: T) -> (z: T)",
    attrs: "T: type in {float, double}",
    doc: "Hurwitz's zeta, the sum of (q + n)^-x.",
    shape: shape::broadcast,
    kernels: &[Kernel::cpu(|ctx| two(ctx, zeta)).on("T", WIDE_FLOATS)],
    tolerance: Tolerance::Within(1e-4),
    ..WORDS
};
