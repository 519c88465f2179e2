//! `Stage`: puts a tuple into a staging area.

use super::staging_area::{Action, waiting};
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "Stage(values: dtypes) -> ()",
    attrs: "capacity: int >= 0 = 0; memory_limit: int >= 0 = 0; dtypes: list(type) >= 1; container: string = \"\"; shared_name: string = \"\"",
    flags: "stateful",
    doc: "Puts `values` behind the others; waits while the area is full.",
    shape: shape::none,
    gradient: Gradient::Zero,
    kernels: &[Kernel::waiting(|_| waiting(Action::Stage))],
    ..WORDS
};
