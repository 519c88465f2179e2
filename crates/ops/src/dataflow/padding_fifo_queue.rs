//! `PaddingFIFOQueue`: makes a queue; the form whose handle is a reference to a string.

use super::queue::Kind;
use super::queue_kernel;
use ferroflow_graph::op::{Gradient, Kernel, OpSpec, WORDS};
use ferroflow_graph::shape_inference;

/// The op.
pub const OP: OpSpec = OpSpec {
    signature: "PaddingFIFOQueue() -> (handle: Ref(string))",
    attrs: "component_types: list(type) >= 1; shapes: list(shape) >= 0 = []; capacity: int = -1; container: string = \"\"; shared_name: string = \"\"",
    flags: "stateful",
    doc: "The handle of a queue of tuples: elements leave in the order in which they came; a batch is padded with zeros to its largest element.",
    shape: shape_inference::unknown,
    gradient: Gradient::Zero,
    kernels: &[Kernel::built(|c| queue_kernel::make(c, Kind::PaddingFifo)).inline()],
    ..WORDS
};
