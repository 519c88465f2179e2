//! `StackCloseV2`: forgets what is on a stack.

use super::tensor_stack;
use ferroflow_graph::op::{Gradient, Kernel, OpSpec, WORDS};
use ferroflow_graph::shape_inference;

/// The op.
pub const OP: OpSpec = OpSpec {
    signature: "StackCloseV2(handle: resource) -> ()",
    flags: "stateful",
    doc: "The stack can no longer be used.",
    shape: shape_inference::none,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(tensor_stack::close).inline()],
    ..WORDS
};
