//! `ParallelBatchDataset`: batches.

use super::batch::BatchDataset;
use super::dataset::{emit, input_dataset};
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "ParallelBatchDataset(input_dataset: variant, batch_size: int64, num_parallel_calls: int64, drop_remainder: bool) -> (handle: variant)",
    attrs: "parallel_copy: bool = false; output_types: list(type) >= 1; output_shapes: list(shape) >= 1; deterministic: string = \"default\"; metadata: string = \"\"",
    doc: "Batches of batch_size elements below each other; the last one may be smaller unless it is to be dropped.",
    shape: shape::scalar,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(compute).inline()],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let input = input_dataset(ctx, 0)?;
    let size = ctx.scalar::<i64>(1, "batch_size")?;
    let drop_remainder = ctx.scalar::<bool>(3, "drop_remainder")?;
    emit(ctx, &[&input], BatchDataset::new(input.clone(), size, drop_remainder)?)
}
