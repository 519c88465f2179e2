//! `Stack`: makes a stack for the step; the form whose handle is a reference to a string.

use super::tensor_stack;
use ferroflow_graph::op::{Gradient, Kernel, OpSpec, WORDS};
use ferroflow_graph::shape_inference;

/// The op.
pub const OP: OpSpec = OpSpec {
    signature: "Stack() -> (handle: Ref(string))",
    attrs: "elem_type: type; stack_name: string = \"\"",
    flags: "stateful",
    doc: "The handle of a new stack.",
    shape: shape_inference::unknown,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(tensor_stack::make).inline()],
    ..WORDS
};
