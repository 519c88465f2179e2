//! `LeakyReluGrad`: the gradient of `LeakyRelu`.

use super::float_map::map_two;
use crate::math::backward::apply;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "LeakyReluGrad(gradients: T, features: T) -> (backprops: T)",
    attrs: "alpha: float = 0.20000000298023224; T: type in {half, bfloat16, float, double} = float",
    doc: "backprops = gradients where features are positive, else alpha gradients; of one shape.",
    shape: shape::merged,
    gradient: Gradient::Of(gradient),
    kernels: &[Kernel::cpu(compute).on("T", FLOATS)],
    tolerance: Tolerance::Rounding,
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let alpha = f64::from(ctx.node.attrs.float("alpha")?);
    map_two(ctx, |dy, x| if x > 0.0 { dy } else { alpha * dy })
}

fn gradient(op: &Operation, grads: &OutGrads) -> Result<Vec<Option<Grad>>> {
    let (x, alpha) = (op.input(1), op.with_attrs(|a| a.float("alpha"))?);
    let ddy = op.graph().op("LeakyReluGrad").input(grads.dense(0)).input(&x).attr("alpha", alpha).output();
    Ok(vec![Some(ddy.into()), Some(apply("ZerosLike", &[&x]).into())])
}
