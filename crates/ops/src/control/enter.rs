//! `Enter`: the way into a loop.

use super::flow_shapes;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "Enter(data: T) -> (output: T)",
    attrs: "T: type; frame_name: string; is_constant: bool = false; parallel_iterations: int = 10",
    doc: "`data` inside the frame `frame_name`: in its first iteration, or in all of them if `is_constant`.",
    shape: flow_shapes::loop_variable,
    gradient: Gradient::Undefined,
    kernels: &[Kernel::control_flow()],
    ..WORDS
};
