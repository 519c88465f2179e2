//! `Snapshot`: its input as it is now.

use super::pass_through;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "Snapshot(input: T) -> (output: T)",
    attrs: "T: type",
    doc: "The same tensor, unaffected by later updates of what it came from: tensors are never changed while somebody holds them.",
    shape: shape::unchanged,
    kernels: &[Kernel::cpu(pass_through::compute).inline()],
    ..WORDS
};
