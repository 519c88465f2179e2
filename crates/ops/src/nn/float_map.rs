//! Functions of one and of two numbers with parameters, on tensors of any floating-point type, computed in f32 or f64.

use crate::math::elementwise::same_shape;
use crate::prelude::*;
use ferroflow_math::{Floating, Real};
use num_traits::AsPrimitive;

/// y = f(x), computed in double for `double` and as double of the wide type for the others.
///
/// Errors: `Unimplemented` for types that are not floating-point.
pub(crate) fn map_one(ctx: &mut OpKernelContext, f: impl Fn(f64) -> f64) -> Result<()> {
    let x = ctx.input(0)?;
    let mut y = Tensor::for_overwrite(x.dtype(), x.shape().clone())?;
    with_float!(x.dtype() => T, {
        for (y, x) in y.as_mut_slice::<T>()?.iter_mut().zip(x.as_slice::<T>()?) {
            *y = T::narrow(Real::of(f(x.widen().as_())));
        }
    }, else { return Err(unsupported(ctx.node.op_name(), x.dtype())) });
    ctx.set_output(0, y);
    Ok(())
}

/// z = f(x, y) for two tensors of one shape; see [`map_one`].
///
/// Errors: `InvalidArgument` if the shapes differ; `Unimplemented` for types that are not floating-point.
pub(crate) fn map_two(ctx: &mut OpKernelContext, f: impl Fn(f64, f64) -> f64) -> Result<()> {
    let shape = same_shape(ctx)?;
    let (x, y) = (ctx.input(0)?, ctx.input(1)?);
    let mut z = Tensor::for_overwrite(x.dtype(), shape)?;
    with_float!(x.dtype() => T, {
        let pairs = x.as_slice::<T>()?.iter().zip(y.as_slice::<T>()?);
        for (z, (x, y)) in z.as_mut_slice::<T>()?.iter_mut().zip(pairs) {
            *z = T::narrow(Real::of(f(x.widen().as_(), y.widen().as_())));
        }
    }, else { return Err(unsupported(ctx.node.op_name(), x.dtype())) });
    ctx.set_output(0, z);
    Ok(())
}
