//! `Case`: one of several functions, by its number.

use super::branch;
use super::output_shapes;
use ferroflow_graph::op::{Kernel, OpSpec, WORDS};

/// The op.
pub const OP: OpSpec = OpSpec {
    signature: "Case(branch_index: int32, input: Tin) -> (output: Tout)",
    attrs: "Tin: list(type) >= 0; Tout: list(type) >= 0; branches: list(func) >= 1; output_shapes: list(shape) = []",
    flags: "stateful",
    doc: "The results of branches[branch_index] on input; of the last branch if there is none of this number.",
    shape: output_shapes::declared,
    kernels: &[Kernel::waiting(branch::build_case)],
    ..WORDS
};
