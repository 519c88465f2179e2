//! `PrivateThreadPoolDataset`: a dataset that would have threads of its own.

use super::dataset::pass_on;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "PrivateThreadPoolDataset(input_dataset: variant, num_threads: int64) -> (handle: variant)",
    attrs: "output_types: list(type) >= 1; output_shapes: list(shape) >= 1",
    doc: "The dataset as it is; it uses the threads of the task.",
    shape: shape::scalar,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(pass_on).inline()],
    ..WORDS
};
