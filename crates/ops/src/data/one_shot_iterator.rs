//! `OneShotIterator`: an iterator that needs no initialization.

use super::one_shot;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "OneShotIterator() -> (handle: resource)",
    attrs: "dataset_factory: func; output_types: list(type) >= 1; output_shapes: list(shape) >= 1; container: string = \"\"; shared_name: string = \"\"",
    flags: "stateful",
    doc: "The handle of an iterator over the dataset that a function makes, once, at the first use.",
    shape: shape::scalar,
    gradient: Gradient::Zero,
    kernels: &[Kernel::waiting(one_shot::build)],
    ..WORDS
};
