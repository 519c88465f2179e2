//! `LRN`: local response normalisation.

use crate::prelude::*;
use ferroflow_math::{Floating, Real};
use num_traits::AsPrimitive;

pub const OP: OpSpec = OpSpec {
    signature: "LRN(input: T) -> (output: T)",
    attrs: "depth_radius: int = 5; bias: float = 1.0; alpha: float = 1.0; beta: float = 0.5; T: type in {half, bfloat16, float} = float",
    doc: "output = input / (bias + alpha sqr_sum)^beta, sqr_sum being the sum of squares over the depths at most depth_radius away.",
    shape: lrn_shape,
    kernels: &[Kernel::cpu(compute).on("T", FLOATS)],
    tolerance: Tolerance::Within(1e-4),
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let attrs = &ctx.node.attrs;
    let (radius, bias) = (attrs.int("depth_radius")?, f64::from(attrs.float("bias")?));
    let (alpha, beta) = (f64::from(attrs.float("alpha")?), f64::from(attrs.float("beta")?));
    let x = ctx.input(0)?;
    if x.rank() != 4 {
        return Err(invalid_argument(format!("in must be 4-dimensional, got shape {}", x.shape())));
    }
    let Ok(radius) = usize::try_from(radius) else { return Err(invalid_argument(format!("depth_radius = {radius} is negative"))) };
    let depth = x.shape().dim(3);
    let mut y = Tensor::for_overwrite(x.dtype(), x.shape().clone())?;
    with_float!(x.dtype() => T, {
        if depth > 0 {
            let mut squares = vec![0.0; depth];
            for (x, y) in x.as_slice::<T>()?.chunks_exact(depth).zip(y.as_mut_slice::<T>()?.chunks_exact_mut(depth)) {
                for (square, x) in squares.iter_mut().zip(x) {
                    let wide: f64 = x.widen().as_();
                    *square = wide * wide;
                }
                for (d, (x, y)) in x.iter().zip(y).enumerate() {
                    let near = d.saturating_sub(radius)..d.saturating_add(radius).saturating_add(1).min(depth);
                    let wide: f64 = x.widen().as_();
                    *y = T::narrow(Real::of(wide * (bias + alpha * squares[near].iter().sum::<f64>()).powf(-beta)));
                }
            }
        }
    }, else { return Err(unsupported("LRN", x.dtype())) });
    ctx.set_output(0, y);
    Ok(())
}

fn lrn_shape(c: &mut ShapeContext) -> Result<()> {
    let x = c.with_rank(0, 4)?;
    c.set_output(0, x);
    Ok(())
}
