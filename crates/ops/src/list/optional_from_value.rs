//! `OptionalFromValue`: wraps tensors.

use super::optional;
use crate::prelude::*;

/// The op.
pub const OP: OpSpec = OpSpec {
    signature: "OptionalFromValue(components: Toutput_types) -> (optional: variant)",
    attrs: "Toutput_types: list(type) >= 1",
    doc: "An optional value that has these tensors.",
    shape: super::list_shapes::handle,
    kernels: &[Kernel::cpu(optional::from_value)],
    ..WORDS
};
