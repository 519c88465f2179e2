//! `QueueIsClosedV2`: whether a queue is closed.

use super::queue_kernel;
use ferroflow_graph::op::{Gradient, Kernel, OpSpec, WORDS};
use ferroflow_graph::shape_inference;

/// The op.
pub const OP: OpSpec = OpSpec {
    signature: "QueueIsClosedV2(handle: resource) -> (is_closed: bool)",
    flags: "stateful",
    doc: "True once the queue is closed.",
    shape: shape_inference::scalar,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(queue_kernel::is_closed).inline()],
    ..WORDS
};
