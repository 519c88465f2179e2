//! `BesselI0`: the modified Bessel function of the first kind, of order 0, element by element.

use super::bessel::ie;
use super::double_map::one;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "BesselI0(x: T) -> (y: T)",
    attrs: "T: type in {bfloat16, half, float, double}",
    doc: "y = the modified Bessel function of the first kind, of order 0.",
    shape: shape::unchanged,
    kernels: &[Kernel::cpu(|ctx| one(ctx, |x| ie(0, x) * x.abs().exp())).on("T", FLOATS)],
    tolerance: Tolerance::Within(1e-4),
    ..WORDS
};
