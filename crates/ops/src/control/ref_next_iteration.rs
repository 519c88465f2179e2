//! `RefNextIteration`: `NextIteration` for references to variables.

use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "RefNextIteration(data: Ref(T)) -> (output: Ref(T))",
    attrs: "T: type",
    doc: "The reference `data` in the next iteration of its frame.",
    shape: shape::unchanged,
    gradient: Gradient::Undefined,
    kernels: &[Kernel::control_flow()],
    ..WORDS
};
