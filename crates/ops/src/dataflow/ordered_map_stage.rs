//! `OrderedMapStage`: puts tensors under a key.

use super::map_stage;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec { signature: "OrderedMapStage(key: int64, indices: int32, values: fake_dtypes) -> ()", ..map_stage::OP };
