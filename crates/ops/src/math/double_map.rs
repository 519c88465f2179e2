//! Kernels of functions that are computed in double precision whatever the type, element by element, with broadcasting.

use super::broadcasting::{for_each_pair, plan};
use crate::prelude::*;
use ferroflow_tensor::Element;
use num_traits::AsPrimitive;

fn doubles<T: Element + AsPrimitive<f64>>(t: &Tensor) -> Result<Vec<f64>> {
    Ok(t.as_slice::<T>()?.iter().map(|x| x.as_()).collect())
}

fn narrowed<T: Element>(shape: Shape, values: &[f64]) -> Result<Tensor>
where
    f64: AsPrimitive<T>,
{
    Tensor::from_slice(shape, &values.iter().map(|x| x.as_()).collect::<Vec<T>>())
}

/// y = f(x).
///
/// Errors: `Unimplemented` for types that are not floating-point.
pub(super) fn one(ctx: &mut OpKernelContext, f: impl Fn(f64) -> f64) -> Result<()> {
    let x = ctx.input(0)?;
    let y = with_float!(x.dtype() => T, {
        let y: Vec<f64> = doubles::<T>(x)?.into_iter().map(f).collect();
        narrowed::<T>(x.shape().clone(), &y)?
    }, else { return Err(unsupported(ctx.node.op_name(), x.dtype())) });
    ctx.set_output(0, y);
    Ok(())
}

/// z = f(x, y), broadcast.
///
/// Errors: `InvalidArgument` for shapes that cannot be broadcast; `Unimplemented` for types that are not floating-point.
pub(super) fn two(ctx: &mut OpKernelContext, f: impl Fn(f64, f64) -> f64) -> Result<()> {
    let (x, y) = (ctx.input(0)?, ctx.input(1)?);
    let (plan, shape) = plan(x.shape(), y.shape())?;
    let z = with_float!(x.dtype() => T, {
        let (x, y) = (doubles::<T>(x)?, doubles::<T>(y)?);
        let mut z = vec![0.0; shape.num_elements()];
        for_each_pair(&plan, |i, j, k| z[k] = f(x[i], y[j]));
        narrowed::<T>(shape, &z)?
    }, else { return Err(unsupported(ctx.node.op_name(), x.dtype())) });
    ctx.set_output(0, z);
    Ok(())
}
