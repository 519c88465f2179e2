//! `OptionalNone`: no value.

use super::optional;
use crate::prelude::*;

/// The op.
pub const OP: OpSpec = OpSpec {
    signature: "OptionalNone() -> (optional: variant)",
    doc: "An optional value without a value.",
    shape: super::list_shapes::handle,
    kernels: &[Kernel::cpu(optional::none)],
    ..WORDS
};
