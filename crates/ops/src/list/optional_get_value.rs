//! `OptionalGetValue`: unwraps tensors.

use super::optional;
use crate::prelude::*;

/// The op.
pub const OP: OpSpec = OpSpec {
    signature: "OptionalGetValue(optional: variant) -> (components: output_types)",
    attrs: "output_types: list(type) >= 1; output_shapes: list(shape) >= 1",
    doc: "The tensors of an optional value.",
    shape: optional::declared,
    kernels: &[Kernel::cpu(optional::get_value)],
    ..WORDS
};
