//! `PriorityQueueV2`: makes a queue.

use super::queue::Kind;
use super::queue_kernel;
use ferroflow_graph::op::{Gradient, Kernel, OpSpec, WORDS};
use ferroflow_graph::shape_inference;

/// The op.
pub const OP: OpSpec = OpSpec {
    signature: "PriorityQueueV2() -> (handle: resource)",
    attrs: "component_types: list(type) >= 0 = []; shapes: list(shape) >= 0; capacity: int = -1; container: string = \"\"; shared_name: string = \"\"",
    flags: "stateful",
    doc: "The handle of a queue of tuples: the element whose first component, an int64, is least leaves first.",
    shape: shape_inference::scalar,
    gradient: Gradient::Zero,
    kernels: &[Kernel::built(|c| queue_kernel::make(c, Kind::Priority)).inline()],
    ..WORDS
};
