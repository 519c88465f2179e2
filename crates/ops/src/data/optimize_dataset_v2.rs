//! `OptimizeDatasetV2`: a dataset that TensorFlow would rewrite.

use super::dataset::pass_on;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "OptimizeDatasetV2(input_dataset: variant, optimizations_enabled: string, optimizations_disabled: string, optimizations_default: string) -> (handle: variant)",
    attrs: "output_types: list(type) >= 1; output_shapes: list(shape) >= 1; optimization_configs: list(string) = []",
    doc: "The dataset as it is.",
    shape: shape::scalar,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(pass_on).inline()],
    ..WORDS
};
