//! `BatchMatrixBandPart`: the older name of `MatrixBandPart`.

use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "BatchMatrixBandPart(input: T, num_lower: int64, num_upper: int64) -> (band: T)",
    attrs: "T: type",
    doc: "As `MatrixBandPart`.",
    shape: shape::unchanged_with_rank_at_least::<2>,
    kernels: &[Kernel::cpu(super::matrix_band_part::compute).on("T", NUMERIC_AND_BOOL)],
    ..WORDS
};
