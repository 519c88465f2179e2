//! `LearnedUnigramCandidateSampler`: classes to compare the true ones with, as frequent as these were so far.

use super::candidates;
use super::learned_weights::build;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "LearnedUnigramCandidateSampler(true_classes: int64) -> (sampled_candidates: int64, true_expected_count: float, sampled_expected_count: float)",
    attrs: "num_true: int >= 1; num_sampled: int >= 1; unique: bool; range_max: int >= 1; seed: int = 0; seed2: int = 0",
    flags: "stateful",
    doc: "`num_sampled` classes, each as likely as it was among the true ones of the steps before (and once more), and how often each of them and each true one is expected among them.",
    shape: candidates::shape,
    gradient: Gradient::Zero,
    kernels: &[Kernel::built(build)],
    tolerance: Tolerance::Rounding,
    ..WORDS
};
