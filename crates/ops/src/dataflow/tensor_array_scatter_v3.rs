//! `TensorArrayScatterV3`: writes the rows of a tensor.

use super::tensor_array_gradient;
use super::tensor_array_kernel;
use ferroflow_graph::op::{Gradient, Kernel, OpSpec, WORDS};
use ferroflow_graph::shape_inference;

/// The op.
pub const OP: OpSpec = OpSpec {
    signature: "TensorArrayScatterV3(handle: resource, indices: int32, value: T, flow_in: float) -> (flow_out: float)",
    attrs: "T: type",
    flags: "stateful",
    doc: "Sets the element at indices[i] to value[i].",
    shape: shape_inference::scalar,
    gradient: Gradient::Of(tensor_array_gradient::of_scatter),
    kernels: &[Kernel::cpu(tensor_array_kernel::scatter)],
    ..WORDS
};
