//! `OrderedMapStage`: puts tensors under a key.

use super::staging_area::{Action, waiting};
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "OrderedMapStage(key: int64, indices: int32, values: fake_dtypes) -> ()",
    attrs: "capacity: int >= 0 = 0; memory_limit: int >= 0 = 0; dtypes: list(type); fake_dtypes: list(type) >= 1; container: string = \"\"; shared_name: string = \"\"",
    flags: "stateful",
    doc: "Puts `values` at the places `indices` of the tuple under `key`; waits while the area is full.",
    shape: shape::none,
    gradient: Gradient::Zero,
    kernels: &[Kernel::waiting(|_| waiting(Action::MapStage))],
    ..WORDS
};
