//! `MatrixSetDiagV3`: matrices with other diagonals.

use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "MatrixSetDiagV3(input: T, diagonal: T, k: int32) -> (output: T)",
    attrs: "T: type; align: string in {\"LEFT_RIGHT\", \"RIGHT_LEFT\", \"LEFT_LEFT\", \"RIGHT_RIGHT\"} = \"RIGHT_LEFT\"",
    doc: "As `MatrixSetDiagV2`; `align` says where shorter diagonals lie in their rows.",
    shape: shape::unchanged_with_rank_at_least::<2>,
    kernels: &[Kernel::cpu(super::matrix_set_diag_v2::compute).on("T", NUMERIC_AND_BOOL)],
    ..WORDS
};
