//! `SpaceToBatchND`: blocks of space in the batch.

use super::space_batch;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "SpaceToBatchND(input: T, block_shape: Tblock_shape, paddings: Tpaddings) -> (output: T)",
    attrs: "T: type; Tblock_shape: type in {int32, int64} = int32; Tpaddings: type in {int32, int64} = int32",
    doc: "`input` with margins of zeros, its dimensions after the first cut into blocks whose elements lie one behind the other in the batch.",
    shape: space_batch::same_rank,
    gradient: Gradient::Of(gradient),
    kernels: &[Kernel::cpu(compute)],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let block = space_batch::block_shape(ctx)?;
    space_batch::to_batch(ctx, &block, 2)
}

fn gradient(op: &Operation, grads: &OutGrads) -> Result<Vec<Option<Grad>>> {
    let d = op.graph().op("BatchToSpaceND").inputs([grads.dense(0), op.input(1), op.input(2)]).output();
    Ok(vec![Some(d.into()), None, None])
}
