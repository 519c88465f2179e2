//! `WindowDataset`: windows of elements as datasets.

use super::dataset::{emit, input_dataset};
use super::window::WindowDataset;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "WindowDataset(input_dataset: variant, size: int64, shift: int64, stride: int64, drop_remainder: bool) -> (handle: variant)",
    attrs: "output_types: list(type) >= 1; output_shapes: list(shape) >= 1; metadata: string = \"\"",
    doc: "Datasets of size elements each, stride apart; the next begins shift elements later.",
    shape: shape::scalar,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(compute).inline()],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let input = input_dataset(ctx, 0)?;
    let window = WindowDataset::new(ctx, input.clone())?;
    emit(ctx, &[&input], window)
}
