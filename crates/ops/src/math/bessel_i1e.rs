//! `BesselI1e`: the modified Bessel function of the first kind, of order 1, times exp(-|x|), element by element.

use super::bessel::ie;
use super::double_map::one;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "BesselI1e(x: T) -> (y: T)",
    attrs: "T: type in {bfloat16, half, float, double}",
    doc: "y = the modified Bessel function of the first kind, of order 1, times exp(-|x|).",
    shape: shape::unchanged,
    kernels: &[Kernel::cpu(|ctx| one(ctx, |x| ie(1, x))).on("T", FLOATS)],
    tolerance: Tolerance::Within(1e-4),
    ..WORDS
};
