//! `OptionalHasValue`: whether there is an element.

use super::optional;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "OptionalHasValue(optional: variant) -> (has_value: bool)",
    doc: "Whether the optional has a value.",
    shape: shape::scalar,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(optional::has_value)],
    ..WORDS
};
