//! `ModelDataset`: a dataset whose parallelism TensorFlow would tune.

use super::dataset::pass_on;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "ModelDataset(input_dataset: variant) -> (handle: variant)",
    attrs: "algorithm: int = 0; cpu_budget: int = 0; ram_budget: int = 0; output_types: list(type) >= 1; output_shapes: list(shape) >= 1",
    doc: "The dataset as it is.",
    shape: shape::scalar,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(pass_on).inline()],
    ..WORDS
};
