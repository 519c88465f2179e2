//! `IteratorGetNext`: the next element of an iterator.

use super::dataset::declared_shapes;
use super::iterator_get_next_kernel::GetNext;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "IteratorGetNext(iterator: resource) -> (components: output_types)",
    attrs: "output_types: list(type) >= 1; output_shapes: list(shape) >= 1",
    flags: "stateful",
    doc: "The components of the next element; OutOfRange `End of sequence` behind the last one.",
    shape: declared_shapes,
    gradient: Gradient::Zero,
    kernels: &[Kernel::waiting(|_| Ok(Box::new(GetNext)))],
    ..WORDS
};
