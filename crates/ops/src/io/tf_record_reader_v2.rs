//! `TFRecordReaderV2`: makes a reader of records of TFRecord files.

use super::reader_kernel;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "TFRecordReaderV2() -> (reader_handle: resource)",
    attrs: "container: string = \"\"; shared_name: string = \"\"; compression_type: string = \"\"",
    flags: "stateful",
    doc: "The handle of a reader whose values are records, with `file:offset` as keys.",
    shape: shape::scalar,
    gradient: Gradient::Zero,
    kernels: &[Kernel::built(reader_kernel::make).inline()],
    ..WORDS
};
