//! `ToBool`: whether a condition holds.

use super::function_call::is_true;
use crate::prelude::*;

/// The op.
pub const OP: OpSpec = OpSpec {
    signature: "ToBool(input: T) -> (output: bool)",
    attrs: "T: type",
    doc: "Whether a scalar is not zero or not empty; of other tensors, whether they have elements.",
    shape: shape::scalar,
    kernels: &[Kernel::cpu(|ctx| {
        let holds = is_true(ctx.input(0)?)?;
        ctx.set_output(0, Tensor::scalar(holds));
        Ok(())
    })
    .inline()],
    ..WORDS
};
