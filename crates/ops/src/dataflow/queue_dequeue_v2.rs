//! `QueueDequeueV2`: takes one element out of a queue.

use super::queue_kernel::{Action, waiting};
use ferroflow_graph::op::{Gradient, Kernel, OpSpec, WORDS};
use ferroflow_graph::shape_inference;

/// The op.
pub const OP: OpSpec = OpSpec {
    signature: "QueueDequeueV2(handle: resource) -> (components: component_types)",
    attrs: "component_types: list(type) >= 1; timeout_ms: int = -1",
    flags: "stateful",
    doc: "The components of one element; waits while there is none.",
    shape: shape_inference::unknown,
    gradient: Gradient::Zero,
    kernels: &[Kernel::waiting(|c| waiting(c, Action::Dequeue))],
    ..WORDS
};
