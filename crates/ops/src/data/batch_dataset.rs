//! `BatchDataset`: batches (the older form).

use super::batch::BatchDataset;
use super::dataset::{emit, input_dataset};
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "BatchDataset(input_dataset: variant, batch_size: int64) -> (handle: variant)",
    attrs: "output_types: list(type) >= 1; output_shapes: list(shape) >= 1; metadata: string = \"\"",
    doc: "Batches of batch_size elements below each other; the last one may be smaller unless it is to be dropped.",
    shape: shape::scalar,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(compute).inline()],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let input = input_dataset(ctx, 0)?;
    let size = ctx.scalar::<i64>(1, "batch_size")?;
    emit(ctx, &[&input], BatchDataset::new(input.clone(), size, false)?)
}
