//! `TensorArrayGradV3`: the array of the gradients of an array.

use super::tensor_array_kernel;
use ferroflow_graph::op::{Gradient, Kernel, OpSpec, WORDS};
use ferroflow_graph::shape_inference;

/// The op.
pub const OP: OpSpec = OpSpec {
    signature: "TensorArrayGradV3(handle: resource, flow_in: float) -> (grad_handle: resource, flow_out: float)",
    attrs: "source: string",
    flags: "stateful",
    doc: "The handle of the array that gradients of this source are written to. The forward array cannot grow any more.",
    shape: shape_inference::scalar,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(tensor_array_kernel::gradient)],
    ..WORDS
};
