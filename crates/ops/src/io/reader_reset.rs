//! `ReaderReset`: makes a reader as new; for the handle that is a reference.

use super::reader_reset_v2;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec { signature: "ReaderReset(reader_handle: Ref(string)) -> ()", flags: "", ..reader_reset_v2::OP };
