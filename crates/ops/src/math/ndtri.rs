//! `Ndtri`: the inverse of the distribution function of the normal distribution, element by element.

use super::double_map::one;
use super::special::ndtri;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "Ndtri(x: T) -> (y: T)",
    attrs: "T: type in {bfloat16, half, float, double}",
    doc: "y = the inverse of the distribution function of the normal distribution.",
    shape: shape::unchanged,
    kernels: &[Kernel::cpu(|ctx| one(ctx, ndtri)).on("T", FLOATS)],
    tolerance: Tolerance::Within(1e-4),
    ..WORDS
};
