//! `ScatterUpdate`: updates are put in place of rows of a variable by reference.

use super::element_update::Update;
use super::scatter;
use ferroflow_graph::op::{Gradient, Kernel, OpSpec, WORDS};

/// The op.
pub const OP: OpSpec = OpSpec {
    signature: "ScatterUpdate(ref: Ref(T), indices: Tindices, updates: T) -> (output_ref: Ref(T))",
    attrs: "T: type; Tindices: type in {int32, int64}; use_locking: bool = true",
    doc: "Row indices[i] of the variable changes by updates[i], or by the scalar updates; repeated indices act in order.",
    shape: scatter::shape,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(|ctx| scatter::compute(ctx, Update::Assign))],
    ..WORDS
};
