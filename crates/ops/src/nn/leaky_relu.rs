//! `LeakyRelu`: x where positive, else alpha x.

use super::float_map::map_one;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "LeakyRelu(features: T) -> (activations: T)",
    attrs: "alpha: float = 0.20000000298023224; T: type in {half, bfloat16, float, double} = float",
    doc: "activations = features where positive, else alpha features.",
    shape: shape::unchanged,
    gradient: Gradient::Of(gradient),
    kernels: &[Kernel::cpu(compute).on("T", FLOATS)],
    tolerance: Tolerance::Rounding,
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let alpha = f64::from(ctx.node.attrs.float("alpha")?);
    map_one(ctx, |x| if x > 0.0 { x } else { alpha * x })
}

fn gradient(op: &Operation, grads: &OutGrads) -> Result<Vec<Option<Grad>>> {
    let alpha = op.with_attrs(|a| a.float("alpha"))?;
    let dx = op.graph().op("LeakyReluGrad").input(grads.dense(0)).input(op.input(0)).attr("alpha", alpha).output();
    Ok(vec![Some(dx.into())])
}
