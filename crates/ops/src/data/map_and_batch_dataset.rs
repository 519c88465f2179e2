//! `MapAndBatchDataset`: a function of every element, and batches of that.

use super::batch::BatchDataset;
use super::captured_function::CapturedFunction;
use super::dataset::{DatasetHandle, declared, emit, input_dataset};
use super::map::{MapDataset, parallelism};
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "MapAndBatchDataset(input_dataset: variant, other_arguments: Targuments, batch_size: int64, num_parallel_calls: int64, drop_remainder: bool) -> (handle: variant)",
    attrs: "f: func; Targuments: list(type) >= 0; output_types: list(type) >= 1; output_shapes: list(shape) >= 1; preserve_cardinality: bool = false; metadata: string = \"\"",
    doc: "Batches of f(element, captured inputs).",
    shape: shape::scalar,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(compute).inline()],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let input = input_dataset(ctx, 0)?;
    let captured = ctx.num_inputs().saturating_sub(3);
    let function = CapturedFunction::new(ctx, "f", 1..captured)?;
    let (size, calls) = (ctx.scalar::<i64>(captured, "batch_size")?, ctx.scalar::<i64>(captured + 1, "num_parallel_calls")?);
    let drop_remainder = ctx.scalar::<bool>(captured + 2, "drop_remainder")?;
    let calls = parallelism(ctx, calls)?;
    let map = MapDataset::new(input.clone(), function, ctx.node.attrs.bool("preserve_cardinality")?, calls);
    // The components are those of the batches, without their first dimension.
    let (types, shapes) = declared(ctx.node)?;
    let shapes = shapes.iter().map(|s| s.dims().and_then(|d| d.get(1..)).map_or_else(PartialShape::unknown, PartialShape::new)).collect();
    let mapped = DatasetHandle::new(map, &[&input], types, shapes)?;
    emit(ctx, &[&mapped], BatchDataset::new(mapped.clone(), size, drop_remainder)?)
}
