//! `QueueSizeV2`: how many elements a queue holds.

use super::queue_kernel;
use ferroflow_graph::op::{Gradient, Kernel, OpSpec, WORDS};
use ferroflow_graph::shape_inference;

/// The op.
pub const OP: OpSpec = OpSpec {
    signature: "QueueSizeV2(handle: resource) -> (size: int32)",
    flags: "stateful",
    doc: "The number of elements now.",
    shape: shape_inference::scalar,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(queue_kernel::size).inline()],
    ..WORDS
};
