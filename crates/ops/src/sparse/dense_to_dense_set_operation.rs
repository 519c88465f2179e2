//! `DenseToDenseSetOperation`: an operation on sets, both dense.

use super::sets::{self, SET_TYPES, Sets};
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "DenseToDenseSetOperation(set1: T, set2: T) -> (result_indices: int64, result_values: T, result_shape: int64)",
    attrs: "set_operation: string; validate_indices: bool = true; T: type in {int8, int16, int32, int64, uint8, uint16, string}",
    doc: "For each pair of sets along the last dimension their `a-b`, `b-a`, `intersection` or `union`, as a sparse tensor.",
    shape: |c| sets::result_shape(c, 0, false),
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(compute).on("T", SET_TYPES)],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let (a, b) = (Sets::dense(ctx.input(0)?)?, Sets::dense(ctx.input(1)?)?);
    sets::combine(ctx, &a, &b)
}
