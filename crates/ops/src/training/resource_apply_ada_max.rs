//! `ResourceApplyAdaMax`: one step of AdaMax on resource variables.

use super::apply_kernel;
use super::rule::Rule;
use crate::types::FLOATS;
use ferroflow_graph::op::{Kernel, OpSpec, Tolerance, WORDS};

/// The op.
pub const OP: OpSpec = OpSpec {
    signature: "ResourceApplyAdaMax(var: resource, m: resource, v: resource, beta1_power: T, lr: T, beta1: T, beta2: T, epsilon: T, grad: T) -> ()",
    attrs: "T: type in {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, complex128, half, uint32, uint64}; use_locking: bool = false",
    flags: "stateful",
    doc: "m is a decaying mean of the gradient, v a decaying maximum; var −= lr / (1 − beta1_power) · m / (v + epsilon).",
    shape: apply_kernel::shape,
    kernels: &[Kernel::built(|c| apply_kernel::build(c, Rule::AdaMax)).on("T", FLOATS)],
    tolerance: Tolerance::Rounding,
    ..WORDS
};
