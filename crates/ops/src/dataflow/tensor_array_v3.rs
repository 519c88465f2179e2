//! `TensorArrayV3`: makes an array of tensors for the step.

use super::tensor_array_kernel;
use ferroflow_graph::op::{Gradient, Kernel, OpSpec, WORDS};
use ferroflow_graph::shape_inference;

/// The op.
pub const OP: OpSpec = OpSpec {
    signature: "TensorArrayV3(size: int32) -> (handle: resource, flow: float)",
    attrs: "dtype: type; element_shape: shape = unknown; dynamic_size: bool = false; clear_after_read: bool = true; identical_element_shapes: bool = false; tensor_array_name: string = \"\"",
    flags: "stateful",
    doc: "The handle of a new array of size places, and a flow that orders uses of it.",
    shape: shape_inference::scalar,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(tensor_array_kernel::make)],
    ..WORDS
};
