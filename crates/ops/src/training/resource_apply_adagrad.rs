//! `ResourceApplyAdagrad`: one step of Adagrad on resource variables.

use super::apply_kernel;
use super::rule::Rule;
use crate::types::FLOATS;
use ferroflow_graph::op::{Kernel, OpSpec, Tolerance, WORDS};

/// The op.
pub const OP: OpSpec = OpSpec {
    signature: "ResourceApplyAdagrad(var: resource, accum: resource, lr: T, grad: T) -> ()",
    attrs: "T: type in {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, complex128, half, uint32, uint64}; use_locking: bool = false; update_slots: bool = true",
    flags: "stateful",
    doc: "accum += grad²; var −= lr · grad / √accum.",
    shape: apply_kernel::shape,
    kernels: &[Kernel::built(|c| apply_kernel::build(c, Rule::Adagrad)).on("T", FLOATS)],
    tolerance: Tolerance::Rounding,
    ..WORDS
};
