//! `ReaderRead`: the next key and value of a reader; for the handle that is a reference.

use super::reader_read_v2;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "ReaderRead(reader_handle: Ref(string), queue_handle: Ref(string)) -> (key: string, value: string)",
    flags: "",
    ..reader_read_v2::OP
};
