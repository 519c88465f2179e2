//! `ReduceDataset`: folds the elements of a dataset.

use super::dataset::declared_shapes;
use super::dataset_kernels::Reduce;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "ReduceDataset(input_dataset: variant, initial_state: Tstate, other_arguments: Targuments) -> (components: output_types)",
    attrs: "f: func; Tstate: list(type) >= 1; Targuments: list(type) >= 0; output_types: list(type) >= 1; output_shapes: list(shape) >= 1; use_inter_op_parallelism: bool = true; metadata: string = \"\"",
    flags: "stateful",
    doc: "The state after f(state, element) for every element, from the initial state on.",
    shape: declared_shapes,
    gradient: Gradient::Zero,
    kernels: &[Kernel::waiting(|_| Ok(Box::new(Reduce)))],
    ..WORDS
};
