//! `StackV2`: makes a stack for the step.

use super::tensor_stack;
use ferroflow_graph::op::{Gradient, Kernel, OpSpec, WORDS};
use ferroflow_graph::shape_inference;

/// The op.
pub const OP: OpSpec = OpSpec {
    signature: "StackV2(max_size: int32) -> (handle: resource)",
    attrs: "elem_type: type; stack_name: string = \"\"",
    flags: "stateful",
    doc: "The handle of a new stack of at most max_size tensors; without limit if that is negative.",
    shape: shape_inference::scalar,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(tensor_stack::make).inline()],
    ..WORDS
};
