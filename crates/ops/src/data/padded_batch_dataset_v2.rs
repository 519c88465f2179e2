//! `PaddedBatchDatasetV2`: batches of elements that are padded to one shape.

use super::dataset::{emit, input_dataset};
use super::padded_batch::PaddedBatch;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "PaddedBatchDatasetV2(input_dataset: variant, batch_size: int64, padded_shapes: N * int64, padding_values: Toutput_types, drop_remainder: bool) -> (handle: variant)",
    attrs: "parallel_copy: bool = false; Toutput_types: list(type) >= 1; output_shapes: list(shape) >= 1; N: int >= 1; metadata: string = \"\"",
    doc: "Batches of batch_size elements, each component padded at its ends with its padding value to the given shape, or where that says -1 to the largest of the batch.",
    shape: shape::scalar,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(compute).inline()],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let input = input_dataset(ctx, 0)?;
    let drop_remainder = ctx.scalar::<bool>(ctx.num_inputs().saturating_sub(1), "drop_remainder")?;
    let batch = PaddedBatch::new(ctx, input.clone(), drop_remainder)?;
    emit(ctx, &[&input], batch)
}
