//! `SparseSparseMaximum`: the greater of two sparse tensors' elements.

use super::extremes::{self, Extreme};
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "SparseSparseMaximum(a_indices: int64, a_values: T, a_shape: int64, b_indices: int64, b_values: T, b_shape: int64) -> (output_indices: int64, output_values: T)",
    attrs: "T: type in {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64}",
    doc: "The greater of both at every place where one has a value; what is missing counts as 0.",
    shape: extremes::shape,
    kernels: &[Kernel::cpu(|ctx| extremes::compute(ctx, Extreme::Greater)).on("T", REAL)],
    ..WORDS
};
