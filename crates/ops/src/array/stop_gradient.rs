//! `StopGradient`: a constant in the eyes of differentiation.

use super::pass_through;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "StopGradient(input: T) -> (output: T)",
    attrs: "T: type",
    doc: "The same tensor, through which no gradient flows.",
    shape: shape::unchanged,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(pass_through::compute).inline()],
    ..WORDS
};
