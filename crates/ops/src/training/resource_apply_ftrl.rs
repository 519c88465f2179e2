//! `ResourceApplyFtrl`: one step of Ftrl on resource variables.

use super::apply_kernel;
use super::rule::Rule;
use crate::types::FLOATS;
use ferroflow_graph::op::{Kernel, OpSpec, Tolerance, WORDS};

/// The op.
pub const OP: OpSpec = OpSpec {
    signature: "ResourceApplyFtrl(var: resource, accum: resource, linear: resource, grad: T, lr: T, l1: T, l2: T, lr_power: T) -> ()",
    attrs: "T: type in {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, complex128, half, uint32, uint64}; use_locking: bool = false; multiply_linear_by_lr: bool = false",
    flags: "stateful",
    doc: "Follow the regularised leader: accum sums squared gradients, linear decides which elements are zero.",
    shape: apply_kernel::shape,
    kernels: &[Kernel::built(|c| apply_kernel::build(c, Rule::Ftrl)).on("T", FLOATS)],
    tolerance: Tolerance::Rounding,
    ..WORDS
};
