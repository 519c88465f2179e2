//! `TensorArrayReadV3`: reads one element.

use super::tensor_array_gradient;
use super::tensor_array_kernel;
use ferroflow_graph::op::{Gradient, Kernel, OpSpec, WORDS};
use ferroflow_graph::shape_inference;

/// The op.
pub const OP: OpSpec = OpSpec {
    signature: "TensorArrayReadV3(handle: resource, index: int32, flow_in: float) -> (value: dtype)",
    attrs: "dtype: type",
    flags: "stateful",
    doc: "The element at index.",
    shape: shape_inference::unknown,
    gradient: Gradient::Of(tensor_array_gradient::of_read),
    kernels: &[Kernel::cpu(tensor_array_kernel::read)],
    ..WORDS
};
