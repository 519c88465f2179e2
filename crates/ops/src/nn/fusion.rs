//! What an optimiser joins to a product or a convolution: a bias and a function (TF: `FusedComputationType`).

use super::bias::add_bias;
use crate::math::elementwise::apply_in_place;
use crate::parallel::pool;
use crate::prelude::*;
use ferroflow_math::{Floating, Real, UnaryOp};
use num_traits::AsPrimitive;

/// The ops that the attribute `fused_ops` names, applied to `x` in their order. Their arguments are the inputs from 2 on.
///
/// Errors: `Unimplemented` for other ops; `InvalidArgument` for a bias that does not fit.
pub(crate) fn apply_fused(ctx: &OpKernelContext, mut x: Tensor) -> Result<Tensor> {
    let attrs = &ctx.node.attrs;
    let pool = pool(ctx.step);
    let mut arg = 2;
    for fused in attrs.strs("fused_ops")? {
        let function = match fused.as_ref() {
            b"BiasAdd" => {
                add_bias(&pool, &mut x, ctx.input(arg)?, false)?;
                arg += 1;
                continue;
            }
            b"LeakyRelu" => {
                leak(&mut x, f64::from(attrs.float("leakyrelu_alpha")?))?;
                continue;
            }
            b"Relu" => UnaryOp::Relu,
            b"Relu6" => UnaryOp::Relu6,
            b"Elu" => UnaryOp::Elu,
            b"Tanh" => UnaryOp::Tanh,
            b"Sigmoid" => UnaryOp::Sigmoid,
            other => return Err(unimplemented(format!("Fusion is not implemented: {}", String::from_utf8_lossy(other)))),
        };
        apply_in_place(&pool, function, &mut x)?;
    }
    Ok(x)
}

fn leak(x: &mut Tensor, alpha: f64) -> Result<()> {
    let dtype = x.dtype();
    with_float!(dtype => T, {
        for x in x.as_mut_slice::<T>()? {
            let wide: f64 = x.widen().as_();
            if wide < 0.0 {
                *x = T::narrow(Real::of(alpha * wide));
            }
        }
        Ok(())
    }, else { Err(unsupported("LeakyRelu", dtype)) })
}
