//! `TensorArrayGatherV3`: reads elements as a batch.

use super::tensor_array_gradient;
use super::tensor_array_kernel;
use ferroflow_graph::op::{Gradient, Kernel, OpSpec, WORDS};

/// The op.
pub const OP: OpSpec = OpSpec {
    signature: "TensorArrayGatherV3(handle: resource, indices: int32, flow_in: float) -> (value: dtype)",
    attrs: "dtype: type; element_shape: shape = unknown",
    flags: "stateful",
    doc: "The elements at the indices, below each other.",
    shape: tensor_array_kernel::gathered_shape,
    gradient: Gradient::Of(tensor_array_gradient::of_gather),
    kernels: &[Kernel::cpu(tensor_array_kernel::gather)],
    ..WORDS
};
