//! `RefEnter`: `Enter` for references to variables.

use super::flow_shapes;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "RefEnter(data: Ref(T)) -> (output: Ref(T))",
    attrs: "T: type; frame_name: string; is_constant: bool = false; parallel_iterations: int = 10",
    doc: "The reference `data` inside the frame `frame_name`: in its first iteration, or in all of them if `is_constant`.",
    shape: flow_shapes::loop_variable,
    gradient: Gradient::Undefined,
    kernels: &[Kernel::control_flow()],
    ..WORDS
};
