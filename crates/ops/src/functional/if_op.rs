//! `If`: one of two functions, by a condition.

use super::branch;
use super::output_shapes;
use ferroflow_graph::op::{Kernel, OpSpec, WORDS};

/// The op.
pub const OP: OpSpec = OpSpec {
    signature: "If(cond: Tcond, input: Tin) -> (output: Tout)",
    attrs: "Tcond: type; Tin: list(type) >= 0; Tout: list(type) >= 0; then_branch: func; else_branch: func; output_shapes: list(shape) = []",
    flags: "stateful",
    doc: "The results of then_branch on input if cond is true, else of else_branch.",
    shape: output_shapes::declared,
    kernels: &[Kernel::waiting(branch::build_if)],
    ..WORDS
};
