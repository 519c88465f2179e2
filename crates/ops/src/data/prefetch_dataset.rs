//! `PrefetchDataset`: makes elements ahead.

use super::dataset::{emit, input_dataset};
use super::prefetch::PrefetchDataset;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "PrefetchDataset(input_dataset: variant, buffer_size: int64) -> (handle: variant)",
    attrs: "output_types: list(type) >= 1; output_shapes: list(shape) >= 1; slack_period: int = 0; legacy_autotune: bool = true; buffer_size_min: int = 0; metadata: string = \"\"",
    doc: "The elements; up to buffer_size of them are made ahead, while their consumer works.",
    shape: shape::scalar,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(compute).inline()],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let input = input_dataset(ctx, 0)?;
    let size = ctx.scalar::<i64>(1, "buffer_size")?;
    emit(ctx, &[&input], PrefetchDataset::new(input.clone(), size)?)
}
