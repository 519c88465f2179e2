//! `FakeQuantWithMinMaxVars`: numbers rounded to the steps of a quantized type.

use super::fake_quant::{check_ends, of_inputs, round_all};
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "FakeQuantWithMinMaxVars(inputs: float, min: float, max: float) -> (outputs: float)",
    attrs: "num_bits: int = 8; narrow_range: bool = false",
    doc: "As FakeQuantWithMinMaxArgs, with min and max as inputs; both are scalars.",
    shape: |c| {
        check_ends(c, 1, false)?;
        shape::unchanged(c)
    },
    gradient: Gradient::Of(backward),
    kernels: &[Kernel::cpu(compute)],
    tolerance: Tolerance::Rounding,
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let ranges = of_inputs(ctx, 0, 1, false)?;
    let y = round_all(ctx.input(0)?, &ranges)?;
    ctx.set_output(0, y);
    Ok(())
}

fn backward(op: &Operation, grads: &OutGrads) -> Result<Vec<Option<Grad>>> {
    let mut node = op.graph().op("FakeQuantWithMinMaxVarsGradient").inputs([grads.dense(0), op.input(0), op.input(1), op.input(2)]);
    for name in ["num_bits", "narrow_range"] {
        if let Some(value) = op.with_attrs(|a| a.get(name).cloned()) {
            node = node.attr(name, value);
        }
    }
    Ok(node.build().outputs().into_iter().map(|y| Some(y.into())).collect())
}
