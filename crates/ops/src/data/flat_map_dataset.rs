//! `FlatMapDataset`: datasets made of elements, one after the other.

use super::captured_function::CapturedFunction;
use super::dataset::{emit, input_dataset};
use super::interleave::InterleaveDataset;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "FlatMapDataset(input_dataset: variant, other_arguments: Targuments) -> (handle: variant)",
    attrs: "f: func; Targuments: list(type) >= 0; output_types: list(type) >= 1; output_shapes: list(shape) >= 1; metadata: string = \"\"",
    doc: "The elements of the datasets that f(element, captured inputs) makes, one dataset after the other.",
    shape: shape::scalar,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(compute).inline()],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let input = input_dataset(ctx, 0)?;
    let function = CapturedFunction::new(ctx, "f", 1..ctx.num_inputs())?;
    emit(ctx, &[&input], InterleaveDataset::new(input.clone(), function, 1, 1)?)
}
