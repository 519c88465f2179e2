//! `Igamma`: the lower regularized incomplete gamma integral, element by element.

use super::double_map::two;
use super::special::igamma;
use crate::math::backward::of_two;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "Igamma(a: T, x: T) -> (z: T)",
    attrs: "T: type in {bfloat16, half, float, double}",
    doc: "The lower regularized incomplete gamma integral.",
    shape: shape::broadcast,
    gradient: Gradient::Of(|op, grads| of_two(op, grads, super::special_gradients::igamma)),
    kernels: &[Kernel::cpu(|ctx| two(ctx, igamma)).on("T", FLOATS)],
    tolerance: Tolerance::Within(1e-4),
    ..WORDS
};
