//! `OrderedMapUnstage`: takes tensors from under a key.

use super::map_unstage;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec { signature: "OrderedMapUnstage(key: int64, indices: int32) -> (values: dtypes)", ..map_unstage::OP };
