//! `Acos`: the inverse cosine, element by element.

use super::backward::{apply, conj, of_one};
use super::elementwise::unary;
use crate::prelude::*;
use ferroflow_math::UnaryOp;

pub const OP: OpSpec = OpSpec {
    signature: "Acos(x: T) -> (y: T)",
    attrs: "T: type in {bfloat16, half, float, double, complex64, complex128}",
    doc: "y = arccos x.",
    shape: shape::unchanged,
    gradient: Gradient::Of(|op, grads| {
        of_one(op, grads, |x, _, dy| -(dy * apply("Reciprocal", &[&apply("Sqrt", &[&(1.0 - apply("Square", &[&conj(x)]))])])))
    }),
    kernels: &[Kernel::cpu(|ctx| unary(ctx, UnaryOp::Acos)).on("T", FLOATS_AND_COMPLEX)],
    tolerance: Tolerance::Rounding,
    ..WORDS
};
