//! `ScatterMin`: updates are compared with rows of a variable by reference and the lesser stays.

use super::element_update::Update;
use super::scatter;
use crate::types::REAL;
use ferroflow_graph::op::{Gradient, Kernel, OpSpec, WORDS};

/// The op.
pub const OP: OpSpec = OpSpec {
    signature: "ScatterMin(ref: Ref(T), indices: Tindices, updates: T) -> (output_ref: Ref(T))",
    attrs: "T: type in {half, bfloat16, float, double, int32, int64}; Tindices: type in {int32, int64}; use_locking: bool = false",
    doc: "Row indices[i] of the variable changes by updates[i], or by the scalar updates; repeated indices act in order.",
    shape: scatter::shape,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(|ctx| scatter::compute(ctx, Update::Min)).on("T", REAL)],
    ..WORDS
};
