//! `ScatterMul`: updates are multiplied into rows of a variable by reference.

use super::element_update::Update;
use super::scatter;
use crate::types::NUMERIC;
use ferroflow_graph::op::{Gradient, Kernel, OpSpec, WORDS};

/// The op.
pub const OP: OpSpec = OpSpec {
    signature: "ScatterMul(ref: Ref(T), indices: Tindices, updates: T) -> (output_ref: Ref(T))",
    attrs: "T: type in {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, complex128, half, uint32, uint64}; Tindices: type in {int32, int64}; use_locking: bool = false",
    doc: "Row indices[i] of the variable changes by updates[i], or by the scalar updates; repeated indices act in order.",
    shape: scatter::shape,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(|ctx| scatter::compute(ctx, Update::Mul)).on("T", NUMERIC)],
    ..WORDS
};
