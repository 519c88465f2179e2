//! `Igammac`: the upper regularized incomplete gamma integral, element by element.

use super::double_map::two;
use super::special::igammac;
use crate::math::backward::of_two;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "Igammac(a: T, x: T) -> (z: T)",
    attrs: "T: type in {bfloat16, half, float, double}",
    doc: "The upper regularized incomplete gamma integral.",
    shape: shape::broadcast,
    gradient: Gradient::Of(|op, grads| of_two(op, grads, super::special_gradients::igammac)),
    kernels: &[Kernel::cpu(|ctx| two(ctx, igammac)).on("T", FLOATS)],
    tolerance: Tolerance::Within(1e-4),
    ..WORDS
};
