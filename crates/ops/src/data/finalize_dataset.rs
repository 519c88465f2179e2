//! `FinalizeDataset`: the end of the description of a dataset.

use super::dataset::pass_on;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "FinalizeDataset(input_dataset: variant) -> (handle: variant)",
    attrs: "has_captured_ref: bool = false; output_types: list(type) >= 1; output_shapes: list(shape) >= 1",
    doc: "The dataset as it is.",
    shape: shape::scalar,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(pass_on).inline()],
    ..WORDS
};
