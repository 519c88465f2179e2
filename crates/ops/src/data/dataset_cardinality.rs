//! `DatasetCardinality`: how many elements a dataset has.

use super::dataset::input_dataset;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "DatasetCardinality(input_dataset: variant) -> (cardinality: int64)",
    attrs: "cardinality_options: string = \"\"",
    doc: "The number of elements; -1 if they never end, -2 if it is not known without counting.",
    shape: shape::scalar,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(compute).inline()],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let cardinality = input_dataset(ctx, 0)?.cardinality();
    ctx.set_output(0, Tensor::scalar(cardinality));
    Ok(())
}
