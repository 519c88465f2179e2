//! `ResourceAccumulatorApplyGradient`: adds a gradient.

use super::accumulator_kernel;
use crate::types::NUMERIC;
use ferroflow_graph::op::{Gradient, Kernel, OpSpec, WORDS};
use ferroflow_graph::shape_inference;

/// The op.
pub const OP: OpSpec = OpSpec {
    signature: "ResourceAccumulatorApplyGradient(handle: resource, local_step: int64, gradient: dtype) -> ()",
    attrs: "dtype: type in {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, complex128, half, uint32, uint64}",
    flags: "stateful",
    doc: "Adds the gradient, unless local_step is older than the accumulator's global step: then it is dropped.",
    shape: shape_inference::none,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(accumulator_kernel::apply).on("dtype", NUMERIC)],
    ..WORDS
};
