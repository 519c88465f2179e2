//! Adding one number to each channel (TF: `BiasOp`).

use super::channels::{channel_axis, channels_first, of_value};
use crate::math::elementwise::refused;
use crate::parallel::pool;
use crate::prelude::*;
use ferroflow_math::{BinaryOp, Broadcast, ParallelFor, Side, binary_in_place};

/// Adds `bias` to the channels of `value`, which nobody else holds.
///
/// Errors: `InvalidArgument` if there is not one bias for each channel.
pub(crate) fn add_bias(pool: &dyn ParallelFor, value: &mut Tensor, bias: &Tensor, first: bool) -> Result<()> {
    let plan = bias_plan(value.shape(), bias.shape(), first)?;
    let dtype = value.dtype();
    with_numeric!(dtype => T, {
        binary_in_place::<T>(pool, BinaryOp::Add, &plan, Side::Left, value.as_mut_slice()?, bias.as_slice()?).map_err(|e| refused(e, dtype))
    }, else { Err(unsupported("BiasAdd", dtype)) })
}

fn bias_plan(value: &Shape, bias: &Shape, first: bool) -> Result<Broadcast> {
    let c = of_value(value, first)?;
    if bias.rank() != 1 {
        return Err(invalid_argument(format!("Biases must be 1D: {bias}")));
    }
    let (n, what) = (bias.dim(0), if first { "channel" } else { "last" });
    if n != c.channels {
        return Err(invalid_argument(format!(
            "Must provide as many biases as the {what} dimension of the input tensor: {bias} vs. {value}"
        )));
    }
    Broadcast::new(&[c.outer, c.channels, c.inner], &[c.channels, 1]).ok_or_else(|| invalid_argument("the input tensor is too large"))
}

/// output = value + bias, one bias for each channel.
///
/// Errors: `InvalidArgument` if there is not one bias for each channel.
pub(crate) fn bias_add(ctx: &mut OpKernelContext) -> Result<()> {
    let first = channels_first(&ctx.node.attrs)?;
    let (value, bias) = (ctx.input(0)?, ctx.input(1)?);
    let plan = bias_plan(value.shape(), bias.shape(), first)?;
    let (dtype, shape) = (value.dtype(), value.shape().clone());
    let y = match ctx.forward_input(0, dtype, &shape) {
        Some(mut y) => {
            add_bias(&pool(ctx.step), &mut y, ctx.input(1)?, first)?;
            y
        }
        None => {
            let (value, bias) = (ctx.input(0)?, ctx.input(1)?);
            let mut y = Tensor::for_overwrite(dtype, shape)?;
            with_numeric!(dtype => T, {
                let (value, bias) = (value.as_slice::<T>()?, bias.as_slice()?);
                ferroflow_math::binary(&pool(ctx.step), BinaryOp::Add, &plan, value, bias, y.as_mut_slice()?).map_err(|e| refused(e, dtype))?;
            }, else { return Err(unsupported(ctx.node.op_name(), dtype)) });
            y
        }
    };
    ctx.set_output(0, y);
    Ok(())
}

/// The shape of the value, which has as many channels as there are biases.
///
/// Errors: `InvalidArgument` if the numbers differ.
pub(crate) fn bias_shape(c: &mut ShapeContext) -> Result<()> {
    let (value, bias) = (c.with_rank_at_least(0, 2)?, c.with_rank(1, 1)?);
    let Some(dims) = value.dims() else { return Ok(()) };
    let axis = channel_axis(dims.len(), channels_first(&c.node().attrs)?);
    let channels = PartialShape::new(&dims[axis..=axis]).merge(&bias)?;
    let mut dims = dims.to_vec();
    dims[axis] = channels.dim(0);
    c.set_output(0, PartialShape::new(&dims));
    Ok(())
}
