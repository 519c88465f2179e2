//! `Bincount`: how often each number occurs.

use super::counting::{bin_count, counted};
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "Bincount(arr: int32, size: int32, weights: T) -> (bins: T)",
    attrs: "T: type in {int32, int64, float, double}",
    doc: "bins[v] = how often v occurs in arr, or the sum of the weights there; numbers from size on are left out.",
    shape: bins_shape,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(compute)],
    tolerance: Tolerance::Rounding,
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let bins = counted(ctx, None, false)?;
    ctx.set_output(0, bins);
    Ok(())
}

fn bins_shape(c: &mut ShapeContext) -> Result<()> {
    c.with_rank(1, 0)?;
    let size = c.constant(1).map(bin_count).transpose()?;
    c.set_output(0, PartialShape::new(&[size.map(|n| n as i64)]));
    Ok(())
}
