//! `MatrixDiagV3`: diagonals as matrices.

use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "MatrixDiagV3(diagonal: T, k: int32, num_rows: int32, num_cols: int32, padding_value: T) -> (output: T)",
    attrs: "T: type; align: string in {\"LEFT_RIGHT\", \"RIGHT_LEFT\", \"LEFT_LEFT\", \"RIGHT_RIGHT\"} = \"RIGHT_LEFT\"",
    doc: "As `MatrixDiagV2`; `align` says where shorter diagonals lie in their rows.",
    shape: shape::unknown,
    kernels: &[Kernel::cpu(super::matrix_diag_v2::compute).on("T", NUMERIC_AND_BOOL)],
    ..WORDS
};
