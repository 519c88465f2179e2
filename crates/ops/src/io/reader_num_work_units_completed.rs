//! `ReaderNumWorkUnitsCompleted`: how many pieces of work a reader is through with; for the handle that is a reference.

use super::reader_num_work_units_completed_v2;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "ReaderNumWorkUnitsCompleted(reader_handle: Ref(string)) -> (units_completed: int64)",
    flags: "",
    ..reader_num_work_units_completed_v2::OP
};
