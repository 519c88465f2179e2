//! `ParallelInterleaveDatasetV2`: datasets made of elements, in turn (an older form).

use super::captured_function::CapturedFunction;
use super::dataset::{emit, input_dataset};
use super::interleave::{InterleaveDataset, check_parallelism, cycle_length};
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "ParallelInterleaveDatasetV2(input_dataset: variant, other_arguments: Targuments, cycle_length: int64, block_length: int64, num_parallel_calls: int64) -> (handle: variant)",
    attrs: "f: func; Targuments: list(type) >= 0; output_types: list(type) >= 1; output_shapes: list(shape) >= 1; sloppy: bool = false; metadata: string = \"\"",
    doc: "block_length elements in turn of each of cycle_length datasets that f(element, captured inputs) makes; the order does not depend on time.",
    shape: shape::scalar,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(compute).inline()],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let input = input_dataset(ctx, 0)?;
    let captured = ctx.num_inputs().saturating_sub(3);
    let function = CapturedFunction::new(ctx, "f", 1..captured)?;
    let (cycle, block) = (cycle_length(ctx, captured)?, ctx.scalar::<i64>(captured + 1, "block_length")?);
    check_parallelism(ctx, captured)?;
    emit(ctx, &[&input], InterleaveDataset::new(input.clone(), function, cycle, block)?)
}
