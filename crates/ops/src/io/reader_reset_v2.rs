//! `ReaderResetV2`: makes a reader as new.

use super::reader_kernel::reader;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "ReaderResetV2(reader_handle: resource) -> ()",
    flags: "stateful",
    doc: "Forgets counts and the work in progress.",
    shape: shape::none,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(|ctx| {
        reader(ctx)?.reset();
        Ok(())
    })
    .inline()],
    ..WORDS
};
