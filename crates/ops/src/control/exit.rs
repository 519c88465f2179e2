//! `Exit`: the way out of a loop.

use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "Exit(data: T) -> (output: T)",
    attrs: "T: type",
    doc: "`data` in the frame around, once the loop ends.",
    shape: shape::unchanged,
    gradient: Gradient::Undefined,
    kernels: &[Kernel::control_flow()],
    ..WORDS
};
