//! `ResourceAccumulatorSetGlobalStep`: sets what counts as stale.

use super::accumulator_kernel;
use ferroflow_graph::op::{Gradient, Kernel, OpSpec, WORDS};
use ferroflow_graph::shape_inference;

/// The op.
pub const OP: OpSpec = OpSpec {
    signature: "ResourceAccumulatorSetGlobalStep(handle: resource, new_global_step: int64) -> ()",
    flags: "stateful",
    doc: "Gradients of older steps than new_global_step are dropped from now on.",
    shape: shape_inference::none,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(accumulator_kernel::set_global_step).inline()],
    ..WORDS
};
