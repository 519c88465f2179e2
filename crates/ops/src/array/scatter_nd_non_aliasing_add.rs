//! `ScatterNdNonAliasingAdd`: a tensor with updates added to slices.

use super::tensor_scatter;
use crate::prelude::*;
use crate::state::element_update::Update;

pub const OP: OpSpec = OpSpec {
    signature: "ScatterNdNonAliasingAdd(input: T, indices: Tindices, updates: T) -> (output: T)",
    attrs: "T: type in {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, complex128, half, uint32, uint64, bool}; Tindices: type in {int32, int64}; bad_indices_policy: string = \"\"",
    doc: "`input`, where `updates` are added to the slices that `indices` name (as in `GatherNd`).",
    shape: shape::unchanged,
    kernels: &[Kernel::cpu(|ctx| tensor_scatter::compute(ctx, Update::Add)).on("T", NUMERIC)],
    ..WORDS
};
