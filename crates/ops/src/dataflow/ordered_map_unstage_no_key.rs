//! `OrderedMapUnstageNoKey`: takes tensors from under any key, least key first.

use super::map_unstage_no_key;
use crate::prelude::*;

pub const OP: OpSpec =
    OpSpec { signature: "OrderedMapUnstageNoKey(indices: int32) -> (key: int64, values: dtypes)", ..map_unstage_no_key::OP };
