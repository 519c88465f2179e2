//! `ReaderRestoreState`: a reader goes on from a state; for the handle that is a reference.

use super::reader_kernel::reader;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "ReaderRestoreState(reader_handle: Ref(string), state: string) -> ()",
    doc: "Gives a reader a state that `ReaderSerializeState` wrote.",
    shape: shape::none,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(compute).inline()],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let state = ctx.input(1)?;
    match state.as_strings()? {
        [bytes] if state.shape().is_scalar() => reader(ctx)?.restore(bytes),
        _ => Err(invalid_argument(format!("Reader state must be scalar, but had shape: {}", state.shape()))),
    }
}
