//! `ParallelMapDataset`: a function of every element, several at a time (the older form).

use super::captured_function::CapturedFunction;
use super::dataset::{emit, input_dataset};
use super::map::{MapDataset, parallelism};
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "ParallelMapDataset(input_dataset: variant, other_arguments: Targuments, num_parallel_calls: int32) -> (handle: variant)",
    attrs: "f: func; Targuments: list(type) >= 0; output_types: list(type) >= 1; output_shapes: list(shape) >= 1; use_inter_op_parallelism: bool = true; sloppy: bool = false; preserve_cardinality: bool = false; metadata: string = \"\"",
    doc: "f(element, captured inputs) for every element, computed for several elements at once; the order stays.",
    shape: shape::scalar,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(compute).inline()],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let input = input_dataset(ctx, 0)?;
    let last = ctx.num_inputs().saturating_sub(1);
    let function = CapturedFunction::new(ctx, "f", 1..last)?;
    let calls = parallelism(ctx, i64::from(ctx.scalar::<i32>(last, "num_parallel_calls")?))?;
    let map = MapDataset::new(input.clone(), function, ctx.node.attrs.bool("preserve_cardinality")?, calls);
    emit(ctx, &[&input], map)
}
