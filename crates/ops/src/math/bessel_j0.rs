//! `BesselJ0`: the Bessel function of the first kind, of order 0, element by element.

use super::double_map::one;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "BesselJ0(x: T) -> (y: T)",
    attrs: "T: type in {bfloat16, half, float, double}",
    doc: "y = the Bessel function of the first kind, of order 0.",
    shape: shape::unchanged,
    kernels: &[Kernel::cpu(|ctx| one(ctx, |x| if x.is_infinite() { f64::NAN } else { libm::j0(x) })).on("T", FLOATS)],
    tolerance: Tolerance::Within(1e-4),
    ..WORDS
};
