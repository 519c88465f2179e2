//! `FixedLengthRecordReaderV2`: makes a reader of pieces of one length.

use super::reader_kernel;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "FixedLengthRecordReaderV2() -> (reader_handle: resource)",
    attrs: "header_bytes: int = 0; record_bytes: int; footer_bytes: int = 0; hop_bytes: int = 0; container: string = \"\"; shared_name: string = \"\"; encoding: string = \"\"",
    flags: "stateful",
    doc: "The handle of a reader whose values are pieces of files between header and footer, with `file:number` as keys.",
    shape: shape::scalar,
    gradient: Gradient::Zero,
    kernels: &[Kernel::built(reader_kernel::make).inline()],
    ..WORDS
};
