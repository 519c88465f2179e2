//! `RefExit`: `Exit` for references to variables.

use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "RefExit(data: Ref(T)) -> (output: Ref(T))",
    attrs: "T: type",
    doc: "The reference `data` in the frame around, once the loop ends.",
    shape: shape::unchanged,
    gradient: Gradient::Undefined,
    kernels: &[Kernel::control_flow()],
    ..WORDS
};
