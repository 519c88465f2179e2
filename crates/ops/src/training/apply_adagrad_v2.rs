//! `ApplyAdagradV2`: one step of AdagradV2 on variables by reference.

use super::apply_kernel;
use super::rule::Rule;
use crate::types::FLOATS;
use ferroflow_graph::op::{Kernel, OpSpec, Tolerance, WORDS};

/// The op.
pub const OP: OpSpec = OpSpec {
    signature: "ApplyAdagradV2(var: Ref(T), accum: Ref(T), lr: T, epsilon: T, grad: T) -> (out: Ref(T))",
    attrs: "T: type in {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, complex128, half, uint32, uint64}; use_locking: bool = false; update_slots: bool = true",
    doc: "accum += grad²; var −= lr · grad / (√accum + epsilon).",
    shape: apply_kernel::shape,
    kernels: &[Kernel::built(|c| apply_kernel::build(c, Rule::AdagradV2)).on("T", FLOATS)],
    tolerance: Tolerance::Rounding,
    ..WORDS
};
