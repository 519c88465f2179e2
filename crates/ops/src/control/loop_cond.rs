//! `LoopCond`: the condition of a loop.

use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "LoopCond(input: bool) -> (output: bool)",
    doc: "The same tensor; marks what decides whether a loop goes on.",
    shape: shape::scalar,
    gradient: Gradient::Undefined,
    kernels: &[Kernel::control_flow()],
    ..WORDS
};
