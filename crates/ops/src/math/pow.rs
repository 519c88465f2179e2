//! `Pow`: powers, with broadcasting.

use super::backward::{apply, conj, number, of_two, where_true};
use super::elementwise::binary;
use crate::prelude::*;
use ferroflow_math::BinaryOp;

pub const OP: OpSpec = OpSpec {
    signature: "Pow(x: T, y: T) -> (z: T)",
    attrs: "T: type in {bfloat16, float, half, double, int8, int16, int32, int64, complex64, complex128}",
    doc: "z = x^y, with broadcasting.",
    shape: shape::broadcast,
    gradient: Gradient::Of(|op, grads| {
        of_two(op, grads, |p| {
            let (x, y) = (conj(&p.x), conj(&p.y));
            // 0^y does not change with y, and the logarithm of a negative number is left out.
            let zero = number(&x, 0.0);
            let has_log = if x.dtype().is_complex() { apply("NotEqual", &[&x, &zero]) } else { apply("Greater", &[&x, &zero]) };
            let log = where_true(&has_log, &apply("Log", &[&apply("SelectV2", &[&has_log, &x, &number(&x, 1.0)])]));
            (&p.dz * &y * apply("Pow", &[&x, &(&y - 1.0)]), &p.dz * conj(&p.z) * log)
        })
    }),
    kernels: &[Kernel::cpu(|ctx| binary(ctx, BinaryOp::Pow)).on("T", NUMERIC)],
    tolerance: Tolerance::Rounding,
    ..WORDS
};
