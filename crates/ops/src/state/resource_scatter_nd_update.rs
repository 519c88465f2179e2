//! `ResourceScatterNdUpdate`: slices of a resource variable, named by index vectors, change by updates.

use super::element_update::Update;
use super::scatter_nd_rows;
use ferroflow_graph::op::{Gradient, Kernel, OpSpec, WORDS};

/// The op.
pub const OP: OpSpec = OpSpec {
    signature: "ResourceScatterNdUpdate(ref: resource, indices: Tindices, updates: T) -> ()",
    attrs: "T: type; Tindices: type in {int32, int64}; use_locking: bool = true; bad_indices_policy: string = \"\"",
    flags: "stateful",
    doc: "Slice indices[i, :] of the variable changes by updates[i]; repeated indices act in order.",
    shape: scatter_nd_rows::shape,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(|ctx| scatter_nd_rows::compute(ctx, Update::Assign))],
    ..WORDS
};
