//! `DatasetToSingleElement`: the only element of a dataset.

use super::dataset::declared_shapes;
use super::dataset_kernels::SingleElement;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "DatasetToSingleElement(dataset: variant) -> (components: output_types)",
    attrs: "output_types: list(type) >= 1; output_shapes: list(shape) >= 1; metadata: string = \"\"",
    flags: "stateful",
    doc: "The components of the only element; InvalidArgument if there is none or more than one.",
    shape: declared_shapes,
    gradient: Gradient::Zero,
    kernels: &[Kernel::waiting(|_| Ok(Box::new(SingleElement)))],
    ..WORDS
};
