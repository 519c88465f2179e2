//! `AccumulatorTakeGradient`: takes the mean or sum of gradients.

use super::accumulator_kernel;
use crate::types::NUMERIC;
use ferroflow_graph::op::{Gradient, Kernel, OpSpec, WORDS};
use ferroflow_graph::shape_inference;

/// The op.
pub const OP: OpSpec = OpSpec {
    signature: "AccumulatorTakeGradient(handle: Ref(string), num_required: int32) -> (average: dtype)",
    attrs: "dtype: type in {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, complex128, half, uint32, uint64}",
    doc: "Waits for num_required gradients and returns their mean (or sum); the accumulator is then empty and one global step further.",
    shape: shape_inference::unknown,
    gradient: Gradient::Zero,
    kernels: &[Kernel::waiting(accumulator_kernel::take).on("dtype", NUMERIC)],
    ..WORDS
};
