//! `ControlTrigger`: a point in time.

use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "ControlTrigger() -> ()",
    doc: "Does nothing, when all that it depends on is done or dead.",
    shape: shape::none,
    gradient: Gradient::Zero,
    kernels: &[Kernel::control_flow()],
    ..WORDS
};
