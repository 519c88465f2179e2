//! `TensorArrayWriteV3`: writes one element.

use super::tensor_array_gradient;
use super::tensor_array_kernel;
use ferroflow_graph::op::{Gradient, Kernel, OpSpec, WORDS};
use ferroflow_graph::shape_inference;

/// The op.
pub const OP: OpSpec = OpSpec {
    signature: "TensorArrayWriteV3(handle: resource, index: int32, value: T, flow_in: float) -> (flow_out: float)",
    attrs: "T: type",
    flags: "stateful",
    doc: "Sets the element at index; each place can be written once.",
    shape: shape_inference::scalar,
    gradient: Gradient::Of(tensor_array_gradient::of_write),
    kernels: &[Kernel::cpu(tensor_array_kernel::write)],
    ..WORDS
};
