//! `Dilation2DBackpropFilter`: the gradient of `Dilation2D` by its filter.

use super::dilation::dilation_gradient;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "Dilation2DBackpropFilter(input: T, filter: T, out_backprop: T) -> (filter_backprop: T)",
    attrs: "T: type in {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64}; strides: list(int) >= 4; rates: list(int) >= 4; padding: string in {\"SAME\", \"VALID\"}",
    doc: "The gradient of the filter: that of each result goes to the first of the elements that make the largest sum.",
    shape: |c| {
        let filter = c.with_rank(1, 3)?;
        c.set_output(0, filter);
        Ok(())
    },
    kernels: &[Kernel::cpu(|ctx| dilation_gradient(ctx, true)).on("T", REAL)],
    tolerance: Tolerance::Rounding,
    ..WORDS
};
