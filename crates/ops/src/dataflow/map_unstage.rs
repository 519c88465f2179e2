//! `MapUnstage`: takes tensors from under a key.

use super::staging_area::{Action, waiting};
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "MapUnstage(key: int64, indices: int32) -> (values: dtypes)",
    attrs: "capacity: int >= 0 = 0; memory_limit: int >= 0 = 0; dtypes: list(type) >= 1; container: string = \"\"; shared_name: string = \"\"",
    flags: "stateful",
    doc: "The tensors at the places `indices` of the tuple under `key`; waits until it is complete.",
    shape: shape::unknown,
    gradient: Gradient::Zero,
    kernels: &[Kernel::waiting(|_| waiting(Action::MapUnstage))],
    ..WORDS
};
