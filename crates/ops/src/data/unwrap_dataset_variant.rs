//! `UnwrapDatasetVariant`: passes a dataset on.

use super::dataset::input_dataset;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "UnwrapDatasetVariant(input_handle: variant) -> (output_handle: variant)",
    doc: "The dataset that WrapDatasetVariant was given.",
    shape: shape::scalar,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(compute).inline()],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let dataset = input_dataset(ctx, 0)?;
    ctx.set_output(0, dataset.to_tensor()?);
    Ok(())
}
