//! `ResourceAccumulatorNumAccumulated`: how many gradients an accumulator holds.

use super::accumulator_kernel;
use ferroflow_graph::op::{Gradient, Kernel, OpSpec, WORDS};
use ferroflow_graph::shape_inference;

/// The op.
pub const OP: OpSpec = OpSpec {
    signature: "ResourceAccumulatorNumAccumulated(handle: resource) -> (num_accumulated: int32)",
    flags: "stateful",
    doc: "The number of gradients since the last take.",
    shape: shape_inference::scalar,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(accumulator_kernel::num_accumulated).inline()],
    ..WORDS
};
