//! `OrderedMapClear`: throws away what lies under keys.

use super::staging_area;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "OrderedMapClear() -> ()",
    attrs: "capacity: int >= 0 = 0; memory_limit: int >= 0 = 0; dtypes: list(type); container: string = \"\"; shared_name: string = \"\"",
    flags: "stateful",
    doc: "Throws all tuples away.",
    shape: shape::none,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(staging_area::clear).inline()],
    ..WORDS
};
