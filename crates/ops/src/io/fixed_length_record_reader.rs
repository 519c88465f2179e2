//! `FixedLengthRecordReader`: makes a reader of pieces of one length; the form whose handle is a reference to a string.

use super::reader_kernel;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "FixedLengthRecordReader() -> (reader_handle: Ref(string))",
    attrs: "header_bytes: int = 0; record_bytes: int; footer_bytes: int = 0; hop_bytes: int = 0; container: string = \"\"; shared_name: string = \"\"",
    flags: "stateful",
    doc: "The handle of a reader whose values are pieces of files between header and footer, with `file:number` as keys.",
    shape: shape::unknown,
    gradient: Gradient::Zero,
    kernels: &[Kernel::built(reader_kernel::make).inline()],
    ..WORDS
};
