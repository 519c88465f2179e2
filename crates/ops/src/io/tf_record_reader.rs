//! `TFRecordReader`: makes a reader of records of TFRecord files; the form whose handle is a reference to a string.

use super::reader_kernel;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "TFRecordReader() -> (reader_handle: Ref(string))",
    attrs: "container: string = \"\"; shared_name: string = \"\"; compression_type: string = \"\"",
    flags: "stateful",
    doc: "The handle of a reader whose values are records, with `file:offset` as keys.",
    shape: shape::unknown,
    gradient: Gradient::Zero,
    kernels: &[Kernel::built(reader_kernel::make).inline()],
    ..WORDS
};
