//! `BatchToSpace`: square blocks of the batch in space.

use super::space_batch;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "BatchToSpace(input: T, crops: Tidx) -> (output: T)",
    attrs: "T: type; block_size: int >= 2; Tidx: type in {int32, int64} = int32",
    doc: "As `BatchToSpaceND`, for images and square blocks.",
    shape: space_batch::same_rank,
    kernels: &[Kernel::cpu(compute)],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let block = space_batch::square(ctx)?;
    space_batch::to_space(ctx, &block, 1)
}
