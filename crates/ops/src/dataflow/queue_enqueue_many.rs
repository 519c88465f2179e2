//! `QueueEnqueueMany`: adds the rows of tensors to a queue.

use super::queue_kernel::{Action, waiting};
use ferroflow_graph::op::{Gradient, Kernel, OpSpec, WORDS};
use ferroflow_graph::shape_inference;

/// The op.
pub const OP: OpSpec = OpSpec {
    signature: "QueueEnqueueMany(handle: Ref(string), components: Tcomponents) -> ()",
    attrs: "Tcomponents: list(type) >= 1; timeout_ms: int = -1",
    doc: "Adds one element per row of the components, each as soon as there is room.",
    shape: shape_inference::none,
    gradient: Gradient::Zero,
    kernels: &[Kernel::waiting(|c| waiting(c, Action::EnqueueMany))],
    ..WORDS
};
