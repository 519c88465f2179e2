//! `SparseReduceMax`: the maximum of a sparse tensor along dimensions, dense.

use super::reduction::{self, Reduced};
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "SparseReduceMax(input_indices: int64, input_values: T, input_shape: int64, reduction_axes: int32) -> (output: T)",
    attrs: "keep_dims: bool = false; T: type in {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64}",
    doc: "The maximum over `reduction_axes` of the values that exist; 0 where none does.",
    shape: reduction::dense_shape,
    kernels: &[Kernel::cpu(|ctx| reduction::dense(ctx, Reduced::Max)).on("T", REAL)],
    tolerance: Tolerance::Rounding,
    ..WORDS
};
