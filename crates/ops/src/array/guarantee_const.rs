//! `GuaranteeConst`: the caller's promise that its input never changes.

use super::pass_through;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "GuaranteeConst(input: T) -> (output: T)",
    attrs: "T: type",
    flags: "stateful",
    doc: "The same tensor, promised to be the same in every step.",
    shape: shape::unchanged,
    gradient: Gradient::Undefined,
    kernels: &[Kernel::cpu(pass_through::compute).inline()],
    ..WORDS
};
