//! Running sums and products along an axis (TF: `ScanOp`).

use super::backward::flags;
use super::broadcasting::lens;
use crate::parallel::pool;
use crate::prelude::*;
use ferroflow_math::{Axis, ScanOp, scan};

/// out = the running sum or product of x along the axis that input 1 names.
///
/// Errors: `InvalidArgument` for an axis that x has not.
pub(crate) fn running(ctx: &mut OpKernelContext, op: ScanOp) -> Result<()> {
    let (x, axis) = (ctx.input(0)?, ctx.input(1)?);
    if !axis.shape().is_scalar() {
        return Err(invalid_argument(format!("ScanOp: axis must be a scalar, not {}", axis.shape())));
    }
    let (at, rank) = (axis.to_i64()?, x.rank() as i64);
    let place = usize::try_from(if at < 0 { at.saturating_add(rank) } else { at }).ok();
    let Some(axis) = place.and_then(|place| Axis::of(&lens(x.shape()), place)) else {
        return Err(invalid_argument(format!("ScanOp: Expected scan axis in the range [{}, {rank}), but got {at}", -rank)));
    };
    let attrs = &ctx.node.attrs;
    let (exclusive, reverse) = (attrs.bool("exclusive")?, attrs.bool("reverse")?);
    let mut y = Tensor::for_overwrite(x.dtype(), x.shape().clone())?;
    with_numeric!(x.dtype() => T, {
        scan::<T>(&pool(ctx.step), op, axis, exclusive, reverse, x.as_slice()?, y.as_mut_slice()?);
    }, else { return Err(unsupported(ctx.node.op_name(), x.dtype())) });
    ctx.set_output(0, y);
    Ok(())
}

/// The running sum of `x` from the other side than `op` runs: how gradients flow back through it.
///
/// Errors: none for an op with the attributes of a running sum.
pub(crate) fn backwards(op: &Operation, x: &Output) -> Result<Output> {
    let (exclusive, reverse) = flags(op, "exclusive", "reverse")?;
    let sum = op.graph().op("Cumsum").input(x).input(op.input(1));
    Ok(sum.attr("exclusive", exclusive).attr("reverse", !reverse).output())
}
