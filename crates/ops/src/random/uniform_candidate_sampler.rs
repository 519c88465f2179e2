//! `UniformCandidateSampler`: classes to compare the true ones with.

use super::candidates::{self, Likely};
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "UniformCandidateSampler(true_classes: int64) -> (sampled_candidates: int64, true_expected_count: float, sampled_expected_count: float)",
    attrs: "num_true: int >= 1; num_sampled: int >= 1; unique: bool; range_max: int >= 1; seed: int = 0; seed2: int = 0",
    flags: "stateful",
    doc: "`num_sampled` classes, uniform, and how often each of them and each true one is expected among them.",
    shape: candidates::shape,
    gradient: Gradient::Zero,
    kernels: &[Kernel::built(|c| candidates::sampler(c, Likely::Uniform))],
    tolerance: Tolerance::Rounding,
    ..WORDS
};
