//! `SparseApplyFtrlV2`: one step of FtrlV2 on variables by reference, for the rows named by indices.

use super::apply_kernel;
use super::rule::Rule;
use crate::types::FLOATS;
use ferroflow_graph::op::{Kernel, OpSpec, Tolerance, WORDS};

/// The op.
pub const OP: OpSpec = OpSpec {
    signature: "SparseApplyFtrlV2(var: Ref(T), accum: Ref(T), linear: Ref(T), grad: T, indices: Tindices, lr: T, l1: T, l2: T, l2_shrinkage: T, lr_power: T) -> (out: Ref(T))",
    attrs: "T: type in {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, complex128, half, uint32, uint64}; Tindices: type in {int32, int64}; use_locking: bool = false; multiply_linear_by_lr: bool = false",
    doc: "As Ftrl, with a shrinkage of the variable added to the gradient, for the rows named by indices.",
    shape: apply_kernel::shape,
    kernels: &[Kernel::built(|c| apply_kernel::build(c, Rule::FtrlV2)).on("T", FLOATS)],
    tolerance: Tolerance::Rounding,
    ..WORDS
};
