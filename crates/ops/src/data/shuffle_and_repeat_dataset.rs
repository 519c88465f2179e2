//! `ShuffleAndRepeatDataset`: epochs in random order each.

use super::dataset::{DatasetHandle, declared, emit, input_dataset};
use super::repeat_dataset::Repeat;
use super::shuffle::ShuffleDataset;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "ShuffleAndRepeatDataset(input_dataset: variant, buffer_size: int64, seed: int64, seed2: int64, count: int64) -> (handle: variant)",
    attrs: "output_types: list(type) >= 1; output_shapes: list(shape) >= 1; reshuffle_each_iteration: bool = true; metadata: string = \"\"",
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
