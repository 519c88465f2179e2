//! `ReaderRestoreState`: a reader goes on from a state; for the handle that is a reference.

use super::reader_restore_state_v2;
use crate::prelude::*;

pub const OP: OpSpec =
    OpSpec { signature: "ReaderRestoreState(reader_handle: Ref(string), state: string) -> ()", flags: "", ..reader_restore_state_v2::OP };
