//! `IteratorGetNextAsOptional`: the next element of an iterator, if there is one.

use super::iterator_get_next_kernel::GetNextAsOptional;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "IteratorGetNextAsOptional(iterator: resource) -> (optional: variant)",
    attrs: "output_types: list(type) >= 1; output_shapes: list(shape) >= 1",
    flags: "stateful",
    doc: "The next element, or none behind the last one.",
    shape: shape::scalar,
    gradient: Gradient::Zero,
    kernels: &[Kernel::waiting(|_| Ok(Box::new(GetNextAsOptional)))],
    ..WORDS
};
