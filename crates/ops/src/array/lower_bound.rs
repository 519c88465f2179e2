//! `LowerBound`: where values belong in sorted rows.

use super::bounds;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "LowerBound(sorted_inputs: T, values: T) -> (output: out_type)",
    attrs: "T: type; out_type: type in {int32, int64} = int32",
    doc: "For each of `values` how many elements of the same row of `sorted_inputs` are less than it.",
    shape: bounds::shape,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(|ctx| bounds::compute(ctx, false)).on("T", REAL)],
    ..WORDS
};
