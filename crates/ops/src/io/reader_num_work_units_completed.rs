//! `ReaderNumWorkUnitsCompleted`: how many pieces of work a reader is through with; for the handle that is a reference.

use super::reader_kernel::reader;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "ReaderNumWorkUnitsCompleted(reader_handle: Ref(string)) -> (units_completed: int64)",
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
