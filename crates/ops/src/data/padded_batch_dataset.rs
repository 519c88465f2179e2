//! `PaddedBatchDataset`: batches of elements that are padded to one shape (the older form).

use super::dataset::{emit, input_dataset};
use super::padded_batch::PaddedBatch;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "PaddedBatchDataset(input_dataset: variant, batch_size: int64, padded_shapes: N * int64, padding_values: Toutput_types) -> (handle: variant)",
    attrs: "Toutput_types: list(type) >= 1; output_shapes: list(shape) >= 1; N: int >= 1; metadata: string = \"\"",
    doc: "Batches of batch_size elements, each component padded at its ends with its padding value to the given shape, or where that says -1 to the largest of the batch.",
    shape: shape::scalar,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(compute).inline()],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let input = input_dataset(ctx, 0)?;
    let batch = PaddedBatch::new(ctx, input.clone(), false)?;
    emit(ctx, &[&input], batch)
}
