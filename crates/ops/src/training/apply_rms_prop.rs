//! `ApplyRMSProp`: one step of RMSProp on variables by reference.

use super::apply_kernel;
use super::rule::Rule;
use crate::types::FLOATS;
use ferroflow_graph::op::{Kernel, OpSpec, Tolerance, WORDS};

/// The op.
pub const OP: OpSpec = OpSpec {
    signature: "ApplyRMSProp(var: Ref(T), ms: Ref(T), mom: Ref(T), lr: T, rho: T, momentum: T, epsilon: T, grad: T) -> (out: Ref(T))",
    attrs: "T: type in {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, complex128, half, uint32, uint64}; use_locking: bool = false",
    doc: "ms is a decaying mean of squared gradients; mom = momentum · mom + lr · grad / √(ms + epsilon); var −= mom.",
    shape: apply_kernel::shape,
    kernels: &[Kernel::built(|c| apply_kernel::build(c, Rule::RmsProp)).on("T", FLOATS)],
    tolerance: Tolerance::Rounding,
    ..WORDS
};
