//! `SparseSparseMinimum`: the lesser of two sparse tensors' elements.

use super::extremes::{self, Extreme};
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "SparseSparseMinimum(a_indices: int64, a_values: T, a_shape: int64, b_indices: int64, b_values: T, b_shape: int64) -> (output_indices: int64, output_values: T)",
    attrs: "T: type in {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, complex128, half, uint32, uint64}",
    doc: "The lesser of both at every place where one has a value; what is missing counts as 0.",
    shape: extremes::shape,
    kernels: &[Kernel::cpu(|ctx| extremes::compute(ctx, Extreme::Lesser)).on("T", REAL)],
    ..WORDS
};
