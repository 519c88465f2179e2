//! `PlaceholderV2`: `Placeholder` as one short-lived version of TF wrote it.

use super::placeholder;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "PlaceholderV2() -> (output: dtype)",
    attrs: "dtype: type; shape: shape",
    doc: "Stands for a tensor of shape `shape` that each step must feed; running it is an error.",
    shape: placeholder::shape,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(placeholder::compute).inline()],
    ..WORDS
};
