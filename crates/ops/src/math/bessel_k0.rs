//! `BesselK0`: the modified Bessel function of the second kind, of order 0, element by element.

use super::bessel::ke;
use super::double_map::one;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "BesselK0(x: T) -> (y: T)",
    attrs: "T: type in {bfloat16, half, float, double}",
    doc: "y = the modified Bessel function of the second kind, of order 0.",
    shape: shape::unchanged,
    kernels: &[Kernel::cpu(|ctx| one(ctx, |x| ke(0, x) * (-x).exp())).on("T", FLOATS)],
    tolerance: Tolerance::Within(1e-4),
    ..WORDS
};
