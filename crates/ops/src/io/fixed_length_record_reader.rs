//! `FixedLengthRecordReader`: makes a reader of pieces of one length; the form whose handle is a reference to a string.

use super::fixed_length_record_reader_v2;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "FixedLengthRecordReader() -> (reader_handle: Ref(string))",
    attrs: "header_bytes: int = 0; record_bytes: int; footer_bytes: int = 0; hop_bytes: int = 0; container: string = \"\"; shared_name: string = \"\"",
    shape: shape::unknown,
    ..fixed_length_record_reader_v2::OP
};
