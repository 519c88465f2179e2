//! `RewriteDataset`: a dataset that is marked for a rewrite, such as `replicate_on_split`.

use super::dataset::pass_on;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "RewriteDataset(input_dataset: variant, rewrite_name: string) -> (handle: variant)",
    attrs: "output_types: list(type) >= 1; output_shapes: list(shape) >= 1",
    doc: "The dataset as it is.",
    shape: shape::scalar,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(pass_on).inline()],
    ..WORDS
};
