//! `OrderedMapClear`: throws away what lies under keys.

use super::map_clear;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec { signature: "OrderedMapClear() -> ()", ..map_clear::OP };
