//! `StackPop`: takes the last tensor off a stack.

use super::tensor_stack;
use ferroflow_graph::op::{Gradient, Kernel, OpSpec, WORDS};
use ferroflow_graph::shape_inference;

/// The op.
pub const OP: OpSpec = OpSpec {
    signature: "StackPop(handle: Ref(string)) -> (elem: elem_type)",
    attrs: "elem_type: type",
    doc: "The tensor that was put on the stack last.",
    shape: shape_inference::unknown,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(tensor_stack::pop).inline()],
    ..WORDS
};
