//! `ResourceScatterMin`: updates are compared with rows of a resource variable and the lesser stays.

use super::element_update::Update;
use super::scatter;
use crate::types::REAL;
use ferroflow_graph::op::{Gradient, Kernel, OpSpec, WORDS};

/// The op.
pub const OP: OpSpec = OpSpec {
    signature: "ResourceScatterMin(resource: resource, indices: Tindices, updates: dtype) -> ()",
    attrs: "dtype: type in {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, complex128, half, uint32, uint64}; Tindices: type in {int32, int64}",
    flags: "stateful",
    doc: "Row indices[i] of the variable changes by updates[i], or by the scalar updates; repeated indices act in order.",
    shape: scatter::shape,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(|ctx| scatter::compute(ctx, Update::Min)).on("dtype", REAL)],
    ..WORDS
};
