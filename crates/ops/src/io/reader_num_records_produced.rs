//! `ReaderNumRecordsProduced`: how many pairs a reader has handed out; for the handle that is a reference.

use super::reader_num_records_produced_v2;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "ReaderNumRecordsProduced(reader_handle: Ref(string)) -> (records_produced: int64)",
    flags: "",
    ..reader_num_records_produced_v2::OP
};
