//! `ResourceSparseApplyAdagradDA`: one step of AdagradDA on resource variables, for the rows named by indices.

use super::apply_kernel;
use super::rule::Rule;
use crate::types::FLOATS;
use ferroflow_graph::op::{Kernel, OpSpec, Tolerance, WORDS};

/// The op.
pub const OP: OpSpec = OpSpec {
    signature: "ResourceSparseApplyAdagradDA(var: resource, gradient_accumulator: resource, gradient_squared_accumulator: resource, grad: T, indices: Tindices, lr: T, l1: T, l2: T, global_step: int64) -> ()",
    attrs: "T: type in {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, complex128, half, uint32, uint64}; Tindices: type in {int32, int64}; use_locking: bool = false",
    flags: "stateful",
    doc: "Sums of gradients and of their squares decide the variable anew, with l1 and l2 regularisation, for the rows named by indices.",
    shape: apply_kernel::shape,
    kernels: &[Kernel::built(|c| apply_kernel::build(c, Rule::AdagradDA)).on("T", FLOATS)],
    tolerance: Tolerance::Rounding,
    ..WORDS
};
