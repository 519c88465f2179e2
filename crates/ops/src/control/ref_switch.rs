//! `RefSwitch`: `Switch` for references to variables.

use super::flow_shapes;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "RefSwitch(data: Ref(T), pred: bool) -> (output_false: Ref(T), output_true: Ref(T))",
    attrs: "T: type",
    flags: "uninitialized_input",
    doc: "The reference `data` goes to `output_true` if `pred`, else to `output_false`; the other output is dead.",
    shape: flow_shapes::each_like_first,
    gradient: Gradient::Undefined,
    kernels: &[Kernel::control_flow()],
    ..WORDS
};
