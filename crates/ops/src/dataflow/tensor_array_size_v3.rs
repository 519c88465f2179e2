//! `TensorArraySizeV3`: the length of an array.

use super::tensor_array_kernel;
use ferroflow_graph::op::{Gradient, Kernel, OpSpec, WORDS};
use ferroflow_graph::shape_inference;

/// The op.
pub const OP: OpSpec = OpSpec {
    signature: "TensorArraySizeV3(handle: resource, flow_in: float) -> (size: int32)",
    flags: "stateful",
    doc: "The number of places.",
    shape: shape_inference::scalar,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(tensor_array_kernel::size)],
    ..WORDS
};
