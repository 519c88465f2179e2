//! `WholeFileReaderV2`: makes a reader of whole files.

use super::reader_kernel;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "WholeFileReaderV2() -> (reader_handle: resource)",
    attrs: "container: string = \"\"; shared_name: string = \"\"",
    flags: "stateful",
    doc: "The handle of a reader whose values are contents of files, with their names as keys.",
    shape: shape::scalar,
    gradient: Gradient::Zero,
    kernels: &[Kernel::built(reader_kernel::make).inline()],
    ..WORDS
};
