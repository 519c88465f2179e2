//! `WholeFileReader`: makes a reader of whole files; the form whose handle is a reference to a string.

use super::whole_file_reader_v2;
use crate::prelude::*;

pub const OP: OpSpec =
    OpSpec { signature: "WholeFileReader() -> (reader_handle: Ref(string))", shape: shape::unknown, ..whole_file_reader_v2::OP };
