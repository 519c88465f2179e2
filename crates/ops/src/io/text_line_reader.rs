//! `TextLineReader`: makes a reader of lines of text files; the form whose handle is a reference to a string.

use super::text_line_reader_v2;
use crate::prelude::*;

pub const OP: OpSpec =
    OpSpec { signature: "TextLineReader() -> (reader_handle: Ref(string))", shape: shape::unknown, ..text_line_reader_v2::OP };
