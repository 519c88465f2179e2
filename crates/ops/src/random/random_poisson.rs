//! `RandomPoisson`: numbers of Poisson distributions (version 1: of the type of the rates).

use super::rejection::shape;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "RandomPoisson(shape: S, rate: dtype) -> (output: dtype)",
    attrs: "seed: int = 0; seed2: int = 0; S: type in {int32, int64}; dtype: type in {half, float, double}",
    flags: "stateful",
    doc: "Samples of Poisson distributions: of the shape that `shape` says for each element of `rate`.",
    shape,
    gradient: Gradient::Zero,
    kernels: &[Kernel::built(super::random_poisson_v2::build)],
    ..WORDS
};
