//! `RandomGammaGrad`: the derivative of samples of the gamma distribution by its parameter, element by element.

use super::double_map::two;
use super::special::gamma_sample_grad;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "RandomGammaGrad(alpha: T, sample: T) -> (output: T)",
    attrs: "T: type in {float, double}",
    doc: "The derivative of samples of the gamma distribution by its parameter.",
    shape: shape::broadcast,
    kernels: &[Kernel::cpu(|ctx| two(ctx, gamma_sample_grad)).on("T", WIDE_FLOATS)],
    tolerance: Tolerance::Within(1e-4),
    ..WORDS
};
