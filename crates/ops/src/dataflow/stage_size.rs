//! `StageSize`: how many tuples a staging area holds.

use super::staging_area;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "StageSize() -> (size: int32)",
    attrs: "capacity: int >= 0 = 0; memory_limit: int >= 0 = 0; dtypes: list(type); container: string = \"\"; shared_name: string = \"\"",
    flags: "stateful",
    doc: "The number of tuples now.",
    shape: shape::scalar,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(|ctx| staging_area::count(ctx, staging_area::Staged::size)).inline()],
    ..WORDS
};
