//! `TextLineReaderV2`: makes a reader of lines of text files.

use super::reader_kernel;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "TextLineReaderV2() -> (reader_handle: resource)",
    attrs: "skip_header_lines: int = 0; container: string = \"\"; shared_name: string = \"\"",
    flags: "stateful",
    doc: "The handle of a reader whose values are lines, with `file:number` as keys.",
    shape: shape::scalar,
    gradient: Gradient::Zero,
    kernels: &[Kernel::built(reader_kernel::make).inline()],
    ..WORDS
};
