//! `MapDataset`: a function of every element.

use super::captured_function::CapturedFunction;
use super::dataset::{emit, input_dataset};
use super::map::MapDataset;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "MapDataset(input_dataset: variant, other_arguments: Targuments) -> (handle: variant)",
    attrs: "f: func; Targuments: list(type) >= 0; output_types: list(type) >= 1; output_shapes: list(shape) >= 1; use_inter_op_parallelism: bool = true; preserve_cardinality: bool = false; force_synchronous: bool = false; metadata: string = \"\"",
    doc: "f(element, captured inputs) for every element.",
    shape: shape::scalar,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(compute).inline()],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let input = input_dataset(ctx, 0)?;
    let function = CapturedFunction::new(ctx, "f", 1..ctx.num_inputs())?;
    let map = MapDataset::new(input.clone(), function, ctx.node.attrs.bool("preserve_cardinality")?, 1);
    emit(ctx, &[&input], map)
}
