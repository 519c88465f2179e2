//! `SparseDenseCwiseDiv`: the quotient of sparse and dense elements.

use super::dense_cwise::{self, Cwise};
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "SparseDenseCwiseDiv(sp_indices: int64, sp_values: T, sp_shape: int64, dense: T) -> (output: T)",
    attrs: "T: type in {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, complex128, half, uint32, uint64}",
    doc: "The quotient at the places of the sparse tensor, to whose shape `dense` is broadcast.",
    shape: dense_cwise::shape,
    kernels: &[Kernel::cpu(|ctx| dense_cwise::compute(ctx, Cwise::Div)).on("T", NUMERIC)],
    tolerance: Tolerance::Rounding,
    ..WORDS
};
