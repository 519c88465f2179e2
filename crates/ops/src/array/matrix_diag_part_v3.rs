//! `MatrixDiagPartV3`: diagonals of matrices.

use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "MatrixDiagPartV3(input: T, k: int32, padding_value: T) -> (diagonal: T)",
    attrs: "T: type; align: string in {\"LEFT_RIGHT\", \"RIGHT_LEFT\", \"LEFT_LEFT\", \"RIGHT_RIGHT\"} = \"RIGHT_LEFT\"",
    doc: "As `MatrixDiagPartV2`; `align` says where shorter diagonals lie in their rows.",
    shape: shape::unknown,
    kernels: &[Kernel::cpu(super::matrix_diag_part_v2::compute).on("T", NUMERIC_AND_BOOL)],
    ..WORDS
};
