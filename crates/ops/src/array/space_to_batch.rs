//! `SpaceToBatch`: square blocks of space in the batch.

use super::space_batch;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "SpaceToBatch(input: T, paddings: Tpaddings) -> (output: T)",
    attrs: "T: type; Tpaddings: type in {int32, int64} = int32; block_size: int >= 2",
    doc: "As `SpaceToBatchND`, for images and square blocks.",
    shape: space_batch::same_rank,
    kernels: &[Kernel::cpu(compute)],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let block = space_batch::square(ctx)?;
    space_batch::to_batch(ctx, &block, 1)
}
