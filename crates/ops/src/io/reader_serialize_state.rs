//! `ReaderSerializeState`: the state of a reader as a string; for the handle that is a reference.

use super::reader_serialize_state_v2;
use crate::prelude::*;

pub const OP: OpSpec =
    OpSpec { signature: "ReaderSerializeState(reader_handle: Ref(string)) -> (state: string)", flags: "", ..reader_serialize_state_v2::OP };
