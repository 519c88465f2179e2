//! `Dilation2DBackpropInput`: the gradient of `Dilation2D` by its images.

use super::dilation::dilation_gradient;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "Dilation2DBackpropInput(input: T, filter: T, out_backprop: T) -> (in_backprop: T)",
    attrs: "T: type in {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64}; strides: list(int) >= 4; rates: list(int) >= 4; padding: string in {\"SAME\", \"VALID\"}",
    doc: "The gradient of the images: that of each result goes to the first of the elements that make the largest sum.",
    shape: shape::unchanged,
    kernels: &[Kernel::cpu(|ctx| dilation_gradient(ctx, false)).on("T", REAL)],
    tolerance: Tolerance::Rounding,
    ..WORDS
};
