//! `MaxIntraOpParallelismDataset`: a dataset whose kernels would use at most so many threads.

use super::dataset::pass_on;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "MaxIntraOpParallelismDataset(input_dataset: variant, max_intra_op_parallelism: int64) -> (handle: variant)",
    attrs: "output_types: list(type) >= 1; output_shapes: list(shape) >= 1",
    doc: "The dataset as it is; its kernels share the threads of the task.",
    shape: shape::scalar,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(pass_on).inline()],
    ..WORDS
};
