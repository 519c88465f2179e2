//! `ParallelMapDatasetV2`: a function of every element, several at a time.

use super::captured_function::CapturedFunction;
use super::dataset::{emit, input_dataset};
use super::map::{MapDataset, parallelism};
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "ParallelMapDatasetV2(input_dataset: variant, other_arguments: Targuments, num_parallel_calls: int64) -> (handle: variant)",
    attrs: "f: func; Targuments: list(type) >= 0; output_types: list(type) >= 1; output_shapes: list(shape) >= 1; use_inter_op_parallelism: bool = true; deterministic: string = \"default\"; preserve_cardinality: bool = false; use_unbounded_threadpool: bool = false; metadata: string = \"\"",
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
    let calls = parallelism(ctx, ctx.scalar::<i64>(last, "num_parallel_calls")?)?;
    let map = MapDataset::new(input.clone(), function, ctx.node.attrs.bool("preserve_cardinality")?, calls);
    emit(ctx, &[&input], map)
}
