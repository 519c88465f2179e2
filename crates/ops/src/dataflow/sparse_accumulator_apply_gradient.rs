//! `SparseAccumulatorApplyGradient`: adds rows of a gradient.

use super::accumulator_kernel;
use crate::types::NUMERIC;
use ferroflow_graph::op::{Gradient, Kernel, OpSpec, WORDS};
use ferroflow_graph::shape_inference;

/// The op.
pub const OP: OpSpec = OpSpec {
    signature: "SparseAccumulatorApplyGradient(handle: Ref(string), local_step: int64, gradient_indices: int64, gradient_values: dtype, gradient_shape: int64) -> ()",
    attrs: "dtype: type in {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, complex128, half, uint32, uint64}; has_known_shape: bool",
    doc: "Adds the rows, unless local_step is older than the accumulator's global step: then they are dropped.",
    shape: shape_inference::none,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(accumulator_kernel::apply_sparse).on("dtype", NUMERIC)],
    ..WORDS
};
