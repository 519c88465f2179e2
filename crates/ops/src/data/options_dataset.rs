//! `OptionsDataset`: a dataset with options.

use super::dataset::pass_on;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "OptionsDataset(input_dataset: variant) -> (handle: variant)",
    attrs: "serialized_options: string; output_types: list(type) >= 1; output_shapes: list(shape) >= 1; metadata: string = \"\"",
    doc: "The dataset as it is; the options say how fast it may run, not what it produces.",
    shape: shape::scalar,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(pass_on).inline()],
    ..WORDS
};
