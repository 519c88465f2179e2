//! `ReaderNumWorkUnitsCompletedV2`: how many pieces of work a reader is through with.

use super::reader_kernel::reader;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "ReaderNumWorkUnitsCompletedV2(reader_handle: resource) -> (units_completed: int64)",
    flags: "stateful",
    doc: "The number of pieces of work that are finished.",
    shape: shape::scalar,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(compute).inline()],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let (_, finished) = reader(ctx)?.counts();
    ctx.set_output(0, Tensor::scalar(finished));
    Ok(())
}
