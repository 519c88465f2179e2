//! `FakeQuantWithMinMaxArgsGradient`: the gradient of `FakeQuantWithMinMaxArgs`.

use super::fake_quant::{of_attrs, slopes_all};
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "FakeQuantWithMinMaxArgsGradient(gradients: float, inputs: float) -> (backprops: float)",
    attrs: "min: float = -6.0; max: float = 6.0; num_bits: int = 8; narrow_range: bool = false",
    doc: "gradients where inputs lie in the range, else 0.",
    shape: shape::merged,
    kernels: &[Kernel::cpu(compute)],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let range = of_attrs(&ctx.node.attrs)?;
    let (dx, _) = slopes_all(ctx, &[range])?;
    ctx.set_output(0, dx);
    Ok(())
}
