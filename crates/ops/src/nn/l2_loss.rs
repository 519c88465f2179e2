//! `L2Loss`: half the sum of squares.

use crate::math::backward::of_one;
use crate::math::elementwise::refused;
use crate::parallel::pool;
use crate::prelude::*;
use ferroflow_math::{Axes, Floating, Real, ReduceOp, reduce};

pub const OP: OpSpec = OpSpec {
    signature: "L2Loss(t: T) -> (output: T)",
    attrs: "T: type in {half, bfloat16, float, double}",
    doc: "output = the sum of t^2 over all elements, divided by 2.",
    shape: shape::scalar,
    gradient: Gradient::Of(|op, grads| of_one(op, grads, |x, _, dy| x * dy)),
    kernels: &[Kernel::cpu(compute).on("T", FLOATS)],
    tolerance: Tolerance::Rounding,
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let x = ctx.input(0)?;
    let (dtype, axes) = (x.dtype(), Axes::new(&[x.num_elements()], &[true]));
    let mut y = Tensor::for_overwrite(dtype, Shape::scalar())?;
    with_float!(dtype => T, {
        let out = y.as_mut_slice::<T>()?;
        reduce::<T>(&pool(ctx.step), ReduceOp::SumOfSquares, x.as_slice()?, &axes, out).map_err(|e| refused(e, dtype))?;
        out.iter_mut().for_each(|y| *y = T::narrow(y.widen() * <T as Floating>::Wide::of(0.5)));
    }, else { return Err(unsupported("L2Loss", dtype)) });
    ctx.set_output(0, y);
    Ok(())
}
