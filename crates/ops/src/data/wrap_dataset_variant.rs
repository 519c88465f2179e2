//! `WrapDatasetVariant`: passes a dataset on.

use super::dataset::input_dataset;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "WrapDatasetVariant(input_handle: variant) -> (output_handle: variant)",
    doc: "A dataset as a variant that may cross devices; here every dataset may.",
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
