//! `QueueDequeueUpToV2`: takes n elements out of a queue, fewer once it is closed.

use super::queue_kernel::{Action, waiting};
use ferroflow_graph::op::{Gradient, Kernel, OpSpec, WORDS};
use ferroflow_graph::shape_inference;

/// The op.
pub const OP: OpSpec = OpSpec {
    signature: "QueueDequeueUpToV2(handle: resource, n: int32) -> (components: component_types)",
    attrs: "component_types: list(type) >= 1; timeout_ms: int = -1",
    flags: "stateful",
    doc: "The components of n elements, below each other; of a closed queue as many as are left.",
    shape: shape_inference::unknown,
    gradient: Gradient::Zero,
    kernels: &[Kernel::waiting(|c| waiting(c, Action::DequeueUpTo))],
    ..WORDS
};
