//! `IdentityReader`: makes a reader of pieces of work as they are; the form whose handle is a reference to a string.

use super::reader_kernel;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "IdentityReader() -> (reader_handle: Ref(string))",
    attrs: "container: string = \"\"; shared_name: string = \"\"",
    flags: "stateful",
    doc: "The handle of a reader whose values are pieces of work themselves, as keys and values.",
    shape: shape::unknown,
    gradient: Gradient::Zero,
    kernels: &[Kernel::built(reader_kernel::make).inline()],
    ..WORDS
};
