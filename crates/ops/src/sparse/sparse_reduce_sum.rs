//! `SparseReduceSum`: the sum of a sparse tensor along dimensions, dense.

use super::reduction::{self, Reduced};
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "SparseReduceSum(input_indices: int64, input_values: T, input_shape: int64, reduction_axes: int32) -> (output: T)",
    attrs: "keep_dims: bool = false; T: type in {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, complex128, half, uint32, uint64}",
    doc: "The sum over `reduction_axes` of the values that exist; 0 where none does.",
    shape: reduction::dense_shape,
    kernels: &[Kernel::cpu(|ctx| reduction::dense(ctx, Reduced::Sum)).on("T", NUMERIC)],
    tolerance: Tolerance::Rounding,
    ..WORDS
};
