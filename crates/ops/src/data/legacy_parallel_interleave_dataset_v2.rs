//! `LegacyParallelInterleaveDatasetV2`: datasets made of elements, in turn, as `tf.data.experimental.parallel_interleave` has it.

use super::captured_function::CapturedFunction;
use super::dataset::{emit, input_dataset};
use super::interleave::{InterleaveDataset, cycle_length};
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "LegacyParallelInterleaveDatasetV2(input_dataset: variant, other_arguments: Targuments, cycle_length: int64, block_length: int64, buffer_output_elements: int64, prefetch_input_elements: int64) -> (handle: variant)",
    attrs: "f: func; deterministic: string = \"default\"; Targuments: list(type) >= 0; output_types: list(type) >= 1; output_shapes: list(shape) >= 1; metadata: string = \"\"",
    doc: "block_length elements in turn of each of cycle_length datasets that f(element, captured inputs) makes; the order does not depend on time.",
    shape: shape::scalar,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(compute).inline()],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let input = input_dataset(ctx, 0)?;
    let captured = ctx.num_inputs().saturating_sub(4);
    let function = CapturedFunction::new(ctx, "f", 1..captured)?;
    let (cycle, block) = (cycle_length(ctx, captured)?, ctx.scalar::<i64>(captured + 1, "block_length")?);
    emit(ctx, &[&input], InterleaveDataset::new(input.clone(), function, cycle, block)?.keeping_blocks())
}
