//! `QueueDequeueMany`: takes n elements out of a queue, as a batch.

use super::queue_kernel::{Action, waiting};
use ferroflow_graph::op::{Gradient, Kernel, OpSpec, WORDS};
use ferroflow_graph::shape_inference;

/// The op.
pub const OP: OpSpec = OpSpec {
    signature: "QueueDequeueMany(handle: Ref(string), n: int32) -> (components: component_types)",
    attrs: "component_types: list(type) >= 1; timeout_ms: int = -1",
    doc: "The components of n elements, below each other; waits until there are n.",
    shape: shape_inference::unknown,
    gradient: Gradient::Zero,
    kernels: &[Kernel::waiting(|c| waiting(c, Action::DequeueMany))],
    ..WORDS
};
