//! `Switch`: one of two ways for a tensor.

use super::flow_shapes;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "Switch(data: T, pred: bool) -> (output_false: T, output_true: T)",
    attrs: "T: type",
    doc: "`data` goes to `output_true` if `pred`, else to `output_false`; the other output is dead.",
    shape: flow_shapes::each_like_first,
    gradient: Gradient::Undefined,
    kernels: &[Kernel::control_flow()],
    ..WORDS
};
