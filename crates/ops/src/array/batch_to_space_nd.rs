//! `BatchToSpaceND`: blocks of the batch in space.

use super::space_batch;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "BatchToSpaceND(input: T, block_shape: Tblock_shape, crops: Tcrops) -> (output: T)",
    attrs: "T: type; Tblock_shape: type in {int32, int64} = int32; Tcrops: type in {int32, int64} = int32",
    doc: "The inverse of `SpaceToBatchND`: blocks put back into space, and `crops` cut off.",
    shape: space_batch::same_rank,
    gradient: Gradient::Of(gradient),
    kernels: &[Kernel::cpu(compute)],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let block = space_batch::block_shape(ctx)?;
    space_batch::to_space(ctx, &block, 2)
}

fn gradient(op: &Operation, grads: &OutGrads) -> Result<Vec<Option<Grad>>> {
    let d = op.graph().op("SpaceToBatchND").inputs([grads.dense(0), op.input(1), op.input(2)]).output();
    Ok(vec![Some(d.into()), None, None])
}
