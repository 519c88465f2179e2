//! `ReaderNumRecordsProducedV2`: how many pairs a reader has handed out.

use super::reader_kernel::reader;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "ReaderNumRecordsProducedV2(reader_handle: resource) -> (records_produced: int64)",
    flags: "stateful",
    doc: "The number of pairs so far.",
    shape: shape::scalar,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(compute).inline()],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let (produced, _) = reader(ctx)?.counts();
    ctx.set_output(0, Tensor::scalar(produced));
    Ok(())
}
