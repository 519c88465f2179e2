//! `OptionalNone`: no element, as one value.

use super::optional;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "OptionalNone() -> (optional: variant)",
    doc: "An optional without a value.",
    shape: shape::scalar,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(optional::none)],
    ..WORDS
};
