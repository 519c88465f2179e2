//! `FakeQuantWithMinMaxArgs`: numbers rounded to the steps of a quantized type.

use super::fake_quant::{of_attrs, round_all};
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "FakeQuantWithMinMaxArgs(inputs: float) -> (outputs: float)",
    attrs: "min: float = -6.0; max: float = 6.0; num_bits: int = 8; narrow_range: bool = false",
    doc: "Numbers clamped to [min, max] and rounded to one of 2^num_bits steps in it (one less if narrow_range); the range is moved so that zero is a step.",
    shape: shape::unchanged,
    gradient: Gradient::Of(backward),
    kernels: &[Kernel::cpu(compute)],
    tolerance: Tolerance::Rounding,
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let range = of_attrs(&ctx.node.attrs)?;
    let y = round_all(ctx.input(0)?, &[range])?;
    ctx.set_output(0, y);
    Ok(())
}

fn backward(op: &Operation, grads: &OutGrads) -> Result<Vec<Option<Grad>>> {
    let mut node = op.graph().op("FakeQuantWithMinMaxArgsGradient").inputs([grads.dense(0), op.input(0)]);
    for name in ["min", "max", "num_bits", "narrow_range"] {
        if let Some(value) = op.with_attrs(|a| a.get(name).cloned()) {
            node = node.attr(name, value);
        }
    }
    Ok(vec![Some(node.output().into())])
}
