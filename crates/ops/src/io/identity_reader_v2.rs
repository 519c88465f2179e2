//! `IdentityReaderV2`: makes a reader of pieces of work as they are.

use super::reader_kernel;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "IdentityReaderV2() -> (reader_handle: resource)",
    attrs: "container: string = \"\"; shared_name: string = \"\"",
    flags: "stateful",
    doc: "The handle of a reader whose values are pieces of work themselves, as keys and values.",
    shape: shape::scalar,
    gradient: Gradient::Zero,
    kernels: &[Kernel::built(reader_kernel::make).inline()],
    ..WORDS
};
