//! `_SwitchN`: one of several ways for a tensor.

use super::flow_shapes;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "_SwitchN(data: T, output_index: int32) -> (outputs: num_outs * T)",
    attrs: "num_outs: int >= 1; T: type",
    doc: "`data` goes to output `output_index` (to the last, if out of range); the others are dead.",
    shape: flow_shapes::each_like_first,
    gradient: Gradient::Undefined,
    kernels: &[Kernel::control_flow()],
    ..WORDS
};
