//! `WholeFileReader`: makes a reader of whole files; the form whose handle is a reference to a string.

use super::reader_kernel;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "WholeFileReader() -> (reader_handle: Ref(string))",
    attrs: "container: string = \"\"; shared_name: string = \"\"",
    flags: "stateful",
    doc: "The handle of a reader whose values are contents of files, with their names as keys.",
    shape: shape::unknown,
    gradient: Gradient::Zero,
    kernels: &[Kernel::built(reader_kernel::make).inline()],
    ..WORDS
};
