//! `QueueSize`: how many elements a queue holds.

use super::queue_kernel;
use ferroflow_graph::op::{Gradient, Kernel, OpSpec, WORDS};
use ferroflow_graph::shape_inference;

/// The op.
pub const OP: OpSpec = OpSpec {
    signature: "QueueSize(handle: Ref(string)) -> (size: int32)",
    doc: "The number of elements now.",
    shape: shape_inference::scalar,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(queue_kernel::size).inline()],
    ..WORDS
};
