//! `IgammaGradA`: the derivative of `Igamma` by its first argument, element by element.

use super::double_map::two;
use super::special::igamma_grad_a;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "IgammaGradA(a: T, x: T) -> (z: T)",
    attrs: "T: type in {float, double}",
    doc: "The derivative of `Igamma` by its first argument.",
    shape: shape::broadcast,
    kernels: &[Kernel::cpu(|ctx| two(ctx, igamma_grad_a)).on("T", WIDE_FLOATS)],
    tolerance: Tolerance::Within(1e-4),
    ..WORDS
};
