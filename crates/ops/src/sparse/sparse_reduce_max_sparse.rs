//! `SparseReduceMaxSparse`: the maximum of a sparse tensor along dimensions, sparse.

use super::reduction::{self, Reduced};
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "SparseReduceMaxSparse(input_indices: int64, input_values: T, input_shape: int64, reduction_axes: int32) -> (output_indices: int64, output_values: T, output_shape: int64)",
    attrs: "keep_dims: bool = false; T: type in {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64}",
    doc: "As `SparseReduceMax`, as a sparse tensor.",
    shape: reduction::sparse_shape,
    kernels: &[Kernel::cpu(|ctx| reduction::sparse(ctx, Reduced::Max)).on("T", REAL)],
    tolerance: Tolerance::Rounding,
    ..WORDS
};
