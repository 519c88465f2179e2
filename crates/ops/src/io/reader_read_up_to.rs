//! `ReaderReadUpTo`: the next keys and values of a reader; for the handle that is a reference.

use super::reader_read_up_to_v2;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "ReaderReadUpTo(reader_handle: Ref(string), queue_handle: Ref(string), num_records: int64) -> (keys: string, values: string)",
    flags: "",
    ..reader_read_up_to_v2::OP
};
