//! `Iterator`: makes a place for an iterator (the older form, which stands under its name).

use super::iterator_resource::{IteratorResource, check_declared};
use crate::dataflow::resource_handle;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "Iterator() -> (handle: resource)",
    attrs: "shared_name: string; container: string; output_types: list(type) >= 1; output_shapes: list(shape) >= 1",
    flags: "stateful",
    doc: "The handle of an iterator that MakeIterator sets; sessions that name the same one share it.",
    shape: shape::scalar,
    gradient: Gradient::Zero,
    kernels: &[Kernel::built(|c| {
        resource_handle::build(c, IteratorResource::TYPE_NAME, |node, _| IteratorResource::of_node(node), check_declared)
    })
    .inline()],
    ..WORDS
};
