//! `QueueEnqueueV2`: adds one element to a queue.

use super::queue_kernel::{Action, waiting};
use ferroflow_graph::op::{Gradient, Kernel, OpSpec, WORDS};
use ferroflow_graph::shape_inference;

/// The op.
pub const OP: OpSpec = OpSpec {
    signature: "QueueEnqueueV2(handle: resource, components: Tcomponents) -> ()",
    attrs: "Tcomponents: list(type) >= 1; timeout_ms: int = -1",
    flags: "stateful",
    doc: "Adds one element; waits while the queue is full.",
    shape: shape_inference::none,
    gradient: Gradient::Zero,
    kernels: &[Kernel::waiting(|c| waiting(c, Action::Enqueue))],
    ..WORDS
};
