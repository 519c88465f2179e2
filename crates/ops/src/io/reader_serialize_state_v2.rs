//! `ReaderSerializeStateV2`: the state of a reader as a string.

use super::reader_kernel::reader;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "ReaderSerializeStateV2(reader_handle: resource) -> (state: string)",
    flags: "stateful",
    doc: "The state of a reader that is not within a file.",
    shape: shape::scalar,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(compute).inline()],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let state = reader(ctx)?.serialize()?;
    ctx.set_output(0, Tensor::string(state));
    Ok(())
}
