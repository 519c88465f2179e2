//! `TensorArraySplitV3`: cuts a tensor into elements.

use super::tensor_array_gradient;
use super::tensor_array_kernel;
use ferroflow_graph::op::{Gradient, Kernel, OpSpec, WORDS};
use ferroflow_graph::shape_inference;

/// The op.
pub const OP: OpSpec = OpSpec {
    signature: "TensorArraySplitV3(handle: resource, value: T, lengths: int64, flow_in: float) -> (flow_out: float)",
    attrs: "T: type",
    flags: "stateful",
    doc: "Sets element i to the next lengths[i] rows of value.",
    shape: shape_inference::scalar,
    gradient: Gradient::Of(tensor_array_gradient::of_split),
    kernels: &[Kernel::cpu(tensor_array_kernel::split)],
    ..WORDS
};
