//! `TFRecordReader`: makes a reader of records of TFRecord files; the form whose handle is a reference to a string.

use super::tf_record_reader_v2;
use crate::prelude::*;

pub const OP: OpSpec =
    OpSpec { signature: "TFRecordReader() -> (reader_handle: Ref(string))", shape: shape::unknown, ..tf_record_reader_v2::OP };
