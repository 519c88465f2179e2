//! `AccumulatorNumAccumulated`: how many gradients an accumulator holds.

use super::accumulator_kernel;
use ferroflow_graph::op::{Gradient, Kernel, OpSpec, WORDS};
use ferroflow_graph::shape_inference;

/// The op.
pub const OP: OpSpec = OpSpec {
    signature: "AccumulatorNumAccumulated(handle: Ref(string)) -> (num_accumulated: int32)",
    doc: "The number of gradients since the last take.",
    shape: shape_inference::scalar,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(accumulator_kernel::num_accumulated).inline()],
    ..WORDS
};
