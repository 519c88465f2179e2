//! `TensorArrayGradWithShape`: the array of the gradients of an array, of larger elements.

use super::tensor_array_kernel;
use ferroflow_graph::op::{Gradient, Kernel, OpSpec, WORDS};
use ferroflow_graph::shape_inference;

/// The op.
pub const OP: OpSpec = OpSpec {
    signature: "TensorArrayGradWithShape(handle: resource, flow_in: float, shape_to_prepend: int32) -> (grad_handle: resource, flow_out: float)",
    attrs: "source: string",
    flags: "stateful",
    doc: "As TensorArrayGradV3; the elements have shape_to_prepend in front of the forward elements' shapes.",
    shape: shape_inference::scalar,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(tensor_array_kernel::gradient)],
    ..WORDS
};
