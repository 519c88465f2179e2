//! `TextLineReader`: makes a reader of lines of text files; the form whose handle is a reference to a string.

use super::reader_kernel;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "TextLineReader() -> (reader_handle: Ref(string))",
    attrs: "skip_header_lines: int = 0; container: string = \"\"; shared_name: string = \"\"",
    flags: "stateful",
    doc: "The handle of a reader whose values are lines, with `file:number` as keys.",
    shape: shape::unknown,
    gradient: Gradient::Zero,
    kernels: &[Kernel::built(reader_kernel::make).inline()],
    ..WORDS
};
