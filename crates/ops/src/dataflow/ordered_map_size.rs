//! `OrderedMapSize`: how many complete tuples lie under keys.

use super::staging_area;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "OrderedMapSize() -> (size: int32)",
    attrs: "capacity: int >= 0 = 0; memory_limit: int >= 0 = 0; dtypes: list(type); container: string = \"\"; shared_name: string = \"\"",
    flags: "stateful",
    doc: "The number of complete tuples now.",
    shape: shape::scalar,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(|ctx| staging_area::count(ctx, staging_area::Staged::size)).inline()],
    ..WORDS
};
