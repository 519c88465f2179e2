//! `SparseToSparseSetOperation`: an operation on sets, both sparse.

use super::sets::{self, SET_TYPES, Sets};
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "SparseToSparseSetOperation(set1_indices: int64, set1_values: T, set1_shape: int64, set2_indices: int64, set2_values: T, set2_shape: int64) -> (result_indices: int64, result_values: T, result_shape: int64)",
    attrs: "set_operation: string; validate_indices: bool = true; T: type in {int8, int16, int32, int64, uint8, uint16, string}",
    doc: "As `DenseToDenseSetOperation`, with sparse arguments.",
    shape: |c| sets::result_shape(c, 2, true),
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(compute).on("T", SET_TYPES)],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let (a, b) = (Sets::sparse(ctx, 0)?, Sets::sparse(ctx, 3)?);
    sets::combine(ctx, &a, &b)
}
