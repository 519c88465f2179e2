//! `MatrixSetDiag`: matrices with another main diagonal.

use super::bands::Band;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "MatrixSetDiag(input: T, diagonal: T) -> (output: T)",
    attrs: "T: type",
    doc: "`input` with its main diagonals replaced by `diagonal`.",
    shape: shape::unchanged_with_rank_at_least::<2>,
    kernels: &[Kernel::cpu(|ctx| super::matrix_set_diag_v2::set(ctx, Band::MAIN)).on("T", NUMERIC_AND_BOOL)],
    ..WORDS
};
