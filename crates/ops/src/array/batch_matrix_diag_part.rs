//! `BatchMatrixDiagPart`: the older name of `MatrixDiagPart`.

use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "BatchMatrixDiagPart(input: T) -> (diagonal: T)",
    attrs: "T: type",
    doc: "As `MatrixDiagPart`.",
    shape: super::matrix_diag_part::shape,
    kernels: &[Kernel::cpu(super::matrix_diag_part::compute).on("T", NUMERIC_AND_BOOL)],
    ..WORDS
};
