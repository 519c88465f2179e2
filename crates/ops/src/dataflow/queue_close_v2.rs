//! `QueueCloseV2`: no more elements may come.

use super::queue_kernel;
use ferroflow_graph::op::{Gradient, Kernel, OpSpec, WORDS};
use ferroflow_graph::shape_inference;

/// The op.
pub const OP: OpSpec = OpSpec {
    signature: "QueueCloseV2(handle: resource) -> ()",
    attrs: "cancel_pending_enqueues: bool = false",
    flags: "stateful",
    doc: "Closes the queue: later enqueues fail, dequeues go on as long as there are elements. Pending enqueues are served before, or cancelled.",
    shape: shape_inference::none,
    gradient: Gradient::Zero,
    kernels: &[Kernel::waiting(queue_kernel::closing)],
    ..WORDS
};
