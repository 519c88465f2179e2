//! `RefMerge`: `Merge` for references to variables.

use super::flow_shapes;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "RefMerge(inputs: Ref(N * T)) -> (output: Ref(T), value_index: int32)",
    attrs: "T: type; N: int >= 1",
    doc: "Passes on the first reference that arrives alive, and its number.",
    shape: flow_shapes::merge,
    gradient: Gradient::Undefined,
    kernels: &[Kernel::control_flow()],
    ..WORDS
};
