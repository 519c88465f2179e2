//! `ResourceCountUpTo`: counts a resource variable up to a limit.

use super::count_up_to;
use crate::types::INDEX;
use ferroflow_graph::op::{Gradient, Kernel, OpSpec, WORDS};
use ferroflow_graph::shape_inference;

/// The op.
pub const OP: OpSpec = OpSpec {
    signature: "ResourceCountUpTo(resource: resource) -> (output: T)",
    attrs: "limit: int; T: type in {int32, int64}",
    flags: "stateful",
    doc: "The variable's value before it is incremented by one; OutOfRange once it has reached the limit.",
    shape: shape_inference::scalar,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(count_up_to::compute).on("T", INDEX)],
    ..WORDS
};
