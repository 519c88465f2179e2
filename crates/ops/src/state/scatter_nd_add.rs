//! `ScatterNdAdd`: slices of a variable by reference, named by index vectors, change by updates.

use super::element_update::Update;
use super::scatter_nd_rows;
use crate::types::NUMERIC;
use ferroflow_graph::op::{Gradient, Kernel, OpSpec, WORDS};

/// The op.
pub const OP: OpSpec = OpSpec {
    signature: "ScatterNdAdd(ref: Ref(T), indices: Tindices, updates: T) -> (output_ref: Ref(T))",
    attrs: "T: type in {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, complex128, half, uint32, uint64}; Tindices: type in {int32, int64}; use_locking: bool = false; bad_indices_policy: string = \"\"",
    doc: "Slice indices[i, :] of the variable changes by updates[i]; repeated indices act in order.",
    shape: scatter_nd_rows::shape,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(|ctx| scatter_nd_rows::compute(ctx, Update::Add)).on("T", NUMERIC)],
    ..WORDS
};
