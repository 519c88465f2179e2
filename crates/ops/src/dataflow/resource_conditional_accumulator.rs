//! `ResourceConditionalAccumulator`: makes an accumulator of dense gradients.

use super::accumulator_kernel;
use crate::types::NUMERIC;
use ferroflow_graph::op::{Gradient, Kernel, OpSpec, WORDS};
use ferroflow_graph::shape_inference;

/// The op.
pub const OP: OpSpec = OpSpec {
    signature: "ResourceConditionalAccumulator() -> (handle: resource)",
    attrs: "dtype: type in {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, complex128, half, uint32, uint64}; shape: shape; container: string = \"\"; shared_name: string = \"\"; reduction_type: string in {\"MEAN\", \"SUM\"} = \"MEAN\"",
    flags: "stateful",
    doc: "The handle of an accumulator that starts at global step 0.",
    shape: shape_inference::scalar,
    gradient: Gradient::Zero,
    kernels: &[Kernel::built(accumulator_kernel::make).on("dtype", NUMERIC).inline()],
    ..WORDS
};
