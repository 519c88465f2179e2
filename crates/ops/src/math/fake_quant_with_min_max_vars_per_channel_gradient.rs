//! `FakeQuantWithMinMaxVarsPerChannelGradient`: the gradient of `FakeQuantWithMinMaxVarsPerChannel`.

use super::fake_quant::{check_ends, ends, of_inputs, slopes_all};
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "FakeQuantWithMinMaxVarsPerChannelGradient(gradients: float, inputs: float, min: float, max: float) -> (backprops_wrt_input: float, backprop_wrt_min: float, backprop_wrt_max: float)",
    attrs: "num_bits: int = 8; narrow_range: bool = false",
    doc: "gradients where inputs lie in the range; their sums where inputs lie below it, and above it.",
    shape: |c| {
        let [min, max] = check_ends(c, 2, true)?;
        let shape = c.input(0).merge(&c.input(1))?;
        c.set_output(0, shape);
        c.set_output(1, min);
        c.set_output(2, max);
        Ok(())
    },
    kernels: &[Kernel::cpu(compute)],
    tolerance: Tolerance::Rounding,
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let ranges = of_inputs(ctx, 1, 2, true)?;
    let (dx, [min, max]) = slopes_all(ctx, &ranges)?;
    ctx.set_output(0, dx);
    ctx.set_output(1, ends(&min, true)?);
    ctx.set_output(2, ends(&max, true)?);
    Ok(())
}
