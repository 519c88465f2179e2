//! `NextIteration`: a loop variable on its way to the next round.

use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "NextIteration(data: T) -> (output: T)",
    attrs: "T: type",
    doc: "`data` in the next iteration of its frame.",
    shape: shape::unchanged,
    gradient: Gradient::Undefined,
    kernels: &[Kernel::control_flow()],
    ..WORDS
};
