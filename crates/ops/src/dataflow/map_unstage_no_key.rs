//! `MapUnstageNoKey`: takes tensors from under any key.

use super::staging_area::{Action, waiting};
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "MapUnstageNoKey(indices: int32) -> (key: int64, values: dtypes)",
    attrs: "capacity: int >= 0 = 0; memory_limit: int >= 0 = 0; dtypes: list(type) >= 1; container: string = \"\"; shared_name: string = \"\"",
    flags: "stateful",
    doc: "A key with a complete tuple and the tensors at the places `indices`; waits until there is one.",
    shape: shape::unknown,
    gradient: Gradient::Zero,
    kernels: &[Kernel::waiting(|_| waiting(Action::MapUnstageNoKey))],
    ..WORDS
};
