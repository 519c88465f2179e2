//! `IteratorFromStringHandleV2`: the iterator that a string names.

use super::string_handle;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "IteratorFromStringHandleV2(string_handle: string) -> (resource_handle: resource)",
    attrs: "output_types: list(type) >= 0 = []; output_shapes: list(shape) >= 0 = []",
    flags: "stateful",
    doc: "The handle that IteratorToStringHandle made a string of; the iterator must have elements of the declared types and shapes.",
    shape: shape::scalar,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(string_handle::from_string)],
    ..WORDS
};
