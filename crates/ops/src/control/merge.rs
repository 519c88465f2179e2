//! `Merge`: whichever of its inputs is alive.

use super::flow_shapes;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "Merge(inputs: N * T) -> (output: T, value_index: int32)",
    attrs: "T: type; N: int >= 1",
    doc: "Passes on the first input that arrives alive, and its number.",
    shape: flow_shapes::merge,
    gradient: Gradient::Undefined,
    kernels: &[Kernel::control_flow()],
    ..WORDS
};
