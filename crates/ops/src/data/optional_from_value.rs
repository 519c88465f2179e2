//! `OptionalFromValue`: an element as one value.

use super::optional;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "OptionalFromValue(components: Toutput_types) -> (optional: variant)",
    attrs: "Toutput_types: list(type) >= 1",
    doc: "An optional that holds these components.",
    shape: shape::scalar,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(optional::from_value)],
    ..WORDS
};
