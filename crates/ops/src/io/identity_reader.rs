//! `IdentityReader`: makes a reader of pieces of work as they are; the form whose handle is a reference to a string.

use super::identity_reader_v2;
use crate::prelude::*;

pub const OP: OpSpec =
    OpSpec { signature: "IdentityReader() -> (reader_handle: Ref(string))", shape: shape::unknown, ..identity_reader_v2::OP };
