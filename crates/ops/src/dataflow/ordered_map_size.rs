//! `OrderedMapSize`: how many complete tuples lie under keys.

use super::map_size;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec { signature: "OrderedMapSize() -> (size: int32)", ..map_size::OP };
