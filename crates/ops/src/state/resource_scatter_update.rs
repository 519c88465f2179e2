//! `ResourceScatterUpdate`: updates are put in place of rows of a resource variable.

use super::element_update::Update;
use super::scatter;
use ferroflow_graph::op::{Gradient, Kernel, OpSpec, WORDS};

/// The op.
pub const OP: OpSpec = OpSpec {
    signature: "ResourceScatterUpdate(resource: resource, indices: Tindices, updates: dtype) -> ()",
    attrs: "dtype: type; Tindices: type in {int32, int64}",
    flags: "stateful",
    doc: "Row indices[i] of the variable changes by updates[i], or by the scalar updates; repeated indices act in order.",
    shape: scatter::shape,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(|ctx| scatter::compute(ctx, Update::Assign))],
    ..WORDS
};
