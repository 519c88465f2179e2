//! `ShuffleAndRepeatDatasetV2`: epochs in random order each; the form that functions use.

use super::dataset::{DatasetHandle, declared, emit, input_dataset};
use super::repeat_dataset::Repeat;
use super::shuffle::ShuffleDataset;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "ShuffleAndRepeatDatasetV2(input_dataset: variant, buffer_size: int64, seed: int64, seed2: int64, count: int64, seed_generator: resource) -> (handle: variant)",
    attrs: "reshuffle_each_iteration: bool = true; output_types: list(type) >= 1; output_shapes: list(shape) >= 1; metadata: string = \"\"",
    flags: "stateful",
    doc: "The elements count times over (without end if count is negative), each time in a random order; as ShuffleDataset and RepeatDataset.",
    shape: shape::scalar,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(compute).inline()],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let input = input_dataset(ctx, 0)?;
    let count = ctx.scalar::<i64>(4, "count")?;
    let (types, shapes) = declared(ctx.node)?;
    let shuffled = DatasetHandle::new(ShuffleDataset::new(ctx, input.clone())?, &[&input], types, shapes)?;
    emit(ctx, &[&shuffled], Repeat::new(shuffled.clone(), count))
}
