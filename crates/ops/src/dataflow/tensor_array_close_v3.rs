//! `TensorArrayCloseV3`: forgets the elements of an array.

use super::tensor_array_kernel;
use ferroflow_graph::op::{Gradient, Kernel, OpSpec, WORDS};
use ferroflow_graph::shape_inference;

/// The op.
pub const OP: OpSpec = OpSpec {
    signature: "TensorArrayCloseV3(handle: resource) -> ()",
    flags: "stateful",
    doc: "The array can no longer be used.",
    shape: shape_inference::none,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(tensor_array_kernel::close)],
    ..WORDS
};
