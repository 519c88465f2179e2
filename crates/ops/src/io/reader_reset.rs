//! `ReaderReset`: makes a reader as new; for the handle that is a reference.

use super::reader_kernel::reader;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "ReaderReset(reader_handle: Ref(string)) -> ()",
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
