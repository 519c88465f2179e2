//! `Unstage`: takes a tuple out of a staging area.

use super::staging_area::{Action, waiting};
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "Unstage() -> (values: dtypes)",
    attrs: "capacity: int >= 0 = 0; memory_limit: int >= 0 = 0; dtypes: list(type) >= 1; container: string = \"\"; shared_name: string = \"\"",
    flags: "stateful",
    doc: "The tuple that has waited longest; waits until there is one.",
    shape: shape::unknown,
    gradient: Gradient::Zero,
    kernels: &[Kernel::waiting(|_| waiting(Action::Unstage))],
    ..WORDS
};
