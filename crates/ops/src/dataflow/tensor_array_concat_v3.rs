//! `TensorArrayConcatV3`: joins all elements.

use super::tensor_array_gradient;
use super::tensor_array_kernel;
use ferroflow_graph::op::{Gradient, Kernel, OpSpec, WORDS};

/// The op.
pub const OP: OpSpec = OpSpec {
    signature: "TensorArrayConcatV3(handle: resource, flow_in: float) -> (value: dtype, lengths: int64)",
    attrs: "dtype: type; element_shape_except0: shape = unknown",
    flags: "stateful",
    doc: "All elements joined along their first dimensions, and the lengths of these.",
    shape: tensor_array_kernel::concatenated_shape,
    gradient: Gradient::Of(tensor_array_gradient::of_concat),
    kernels: &[Kernel::cpu(tensor_array_kernel::concat)],
    ..WORDS
};
