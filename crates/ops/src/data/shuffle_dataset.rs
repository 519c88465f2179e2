//! `ShuffleDataset`: elements in random order.

use super::dataset::{emit, input_dataset};
use super::shuffle::ShuffleDataset;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "ShuffleDataset(input_dataset: variant, buffer_size: int64, seed: int64, seed2: int64) -> (handle: variant)",
    attrs: "reshuffle_each_iteration: bool = true; output_types: list(type) >= 1; output_shapes: list(shape) >= 1; metadata: string = \"\"",
    doc: "The elements in random order: each leaves a buffer of buffer_size elements at random. The order for given seeds is TensorFlow's.",
    shape: shape::scalar,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(compute).inline()],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let input = input_dataset(ctx, 0)?;
    let shuffle = ShuffleDataset::new(ctx, input.clone())?;
    emit(ctx, &[&input], shuffle)
}
