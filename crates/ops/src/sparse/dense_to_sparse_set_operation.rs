//! `DenseToSparseSetOperation`: an operation on sets, dense and sparse.

use super::sets::{self, SET_TYPES, Sets};
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "DenseToSparseSetOperation(set1: T, set2_indices: int64, set2_values: T, set2_shape: int64) -> (result_indices: int64, result_values: T, result_shape: int64)",
    attrs: "set_operation: string; validate_indices: bool = true; T: type in {int8, int16, int32, int64, uint8, uint16, string}",
    doc: "As `DenseToDenseSetOperation`, with a sparse second argument.",
    shape: |c| sets::result_shape(c, 0, false),
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(compute).on("T", SET_TYPES)],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let (a, b) = (Sets::dense(ctx.input(0)?)?, Sets::sparse(ctx, 1)?);
    sets::combine(ctx, &a, &b)
}
