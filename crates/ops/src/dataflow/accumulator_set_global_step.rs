//! `AccumulatorSetGlobalStep`: sets what counts as stale.

use super::accumulator_kernel;
use ferroflow_graph::op::{Gradient, Kernel, OpSpec, WORDS};
use ferroflow_graph::shape_inference;

/// The op.
pub const OP: OpSpec = OpSpec {
    signature: "AccumulatorSetGlobalStep(handle: Ref(string), new_global_step: int64) -> ()",
    doc: "Gradients of older steps than new_global_step are dropped from now on.",
    shape: shape_inference::none,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(accumulator_kernel::set_global_step).inline()],
    ..WORDS
};
