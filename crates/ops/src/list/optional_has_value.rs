//! `OptionalHasValue`: whether there is a value.

use super::optional;
use crate::prelude::*;

/// The op.
pub const OP: OpSpec = OpSpec {
    signature: "OptionalHasValue(optional: variant) -> (has_value: bool)",
    doc: "Whether an optional value has one.",
    shape: shape::scalar,
    kernels: &[Kernel::cpu(optional::has_value)],
    ..WORDS
};
