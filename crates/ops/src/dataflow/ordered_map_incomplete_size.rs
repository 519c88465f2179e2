//! `OrderedMapIncompleteSize`: how many tuples lack a tensor.

use super::map_incomplete_size;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec { signature: "OrderedMapIncompleteSize() -> (size: int32)", ..map_incomplete_size::OP };
