//! `OptionalGetValue`: the element of an optional.

use super::dataset::declared_shapes;
use super::optional;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "OptionalGetValue(optional: variant) -> (components: output_types)",
    attrs: "output_types: list(type) >= 1; output_shapes: list(shape) >= 1",
    doc: "The components of the optional; InvalidArgument without a value.",
    shape: declared_shapes,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(optional::get_value)],
    ..WORDS
};
