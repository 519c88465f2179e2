//! `OrderedMapPeek`: looks at tensors under a key.

use super::map_peek;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec { signature: "OrderedMapPeek(key: int64, indices: int32) -> (values: dtypes)", ..map_peek::OP };
