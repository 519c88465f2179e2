//! `IteratorToStringHandle`: the handle of an iterator as a string, to be fed.

use super::string_handle;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "IteratorToStringHandle(resource_handle: resource) -> (string_handle: string)",
    flags: "stateful",
    doc: "The handle as bytes that IteratorFromStringHandleV2 understands.",
    shape: shape::scalar,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(string_handle::to_string)],
    ..WORDS
};
