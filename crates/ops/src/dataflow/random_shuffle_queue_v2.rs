//! `RandomShuffleQueueV2`: makes a queue.

use super::queue::Kind;
use super::queue_kernel;
use ferroflow_graph::op::{Gradient, Kernel, OpSpec, WORDS};
use ferroflow_graph::shape_inference;

/// The op.
pub const OP: OpSpec = OpSpec {
    signature: "RandomShuffleQueueV2() -> (handle: resource)",
    attrs: "component_types: list(type) >= 1; shapes: list(shape) >= 0 = []; capacity: int = -1; min_after_dequeue: int = 0; seed: int = 0; seed2: int = 0; container: string = \"\"; shared_name: string = \"\"",
    flags: "stateful",
    doc: "The handle of a queue of tuples: elements leave in random order, at least min_after_dequeue of them staying until the queue is closed.",
    shape: shape_inference::scalar,
    gradient: Gradient::Zero,
    kernels: &[Kernel::built(|c| queue_kernel::make(c, Kind::RandomShuffle)).inline()],
    ..WORDS
};
