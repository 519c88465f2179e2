//! `BatchMatrixDiag`: the older name of `MatrixDiag`.

use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "BatchMatrixDiag(diagonal: T) -> (output: T)",
    attrs: "T: type",
    doc: "As `MatrixDiag`.",
    shape: super::matrix_diag::shape,
    kernels: &[Kernel::cpu(super::matrix_diag::compute).on("T", NUMERIC_AND_BOOL)],
    ..WORDS
};
