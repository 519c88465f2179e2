//! `MaxPool`: the largest elements under a window.

use super::pooling::{pool_shape, pool_window, pooled};
use super::sliding_window::sliding_like;
use crate::parallel::pool;
use crate::prelude::*;
use ferroflow_math::max_pool;

pub const OP: OpSpec = OpSpec {
    signature: "MaxPool(input: T) -> (output: T)",
    attrs: "T: type in {half, bfloat16, float, double, int32, int64, uint8, int16, int8, uint16, qint8} = float; ksize: list(int) >= 4; strides: list(int) >= 4; padding: string in {\"SAME\", \"VALID\", \"EXPLICIT\"}; explicit_paddings: list(int) = []; data_format: string in {\"NHWC\", \"NCHW\", \"NCHW_VECT_C\"} = \"NHWC\"",
    doc: "output[b, i, j, d] = the largest of input[b, i stride + r, j stride + c, d] for r and c inside ksize.",
    shape: pool_shape,
    gradient: Gradient::Of(gradient),
    kernels: &[Kernel::cpu(compute).on("T", REAL)],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let node = ctx.node;
    largest(ctx, &node.attrs)
}

/// The largest of input 0 under the window that these attributes describe.
///
/// Errors: as `pool_window`.
pub(super) fn largest(ctx: &mut OpKernelContext, attrs: &AttrMap) -> Result<()> {
    let x = ctx.input(0)?;
    let window = pool_window(attrs, x.shape())?;
    let mut y = Tensor::for_overwrite(x.dtype(), pooled(&window)?)?;
    with_real!(x.dtype() => T, {
        max_pool::<T>(&pool(ctx.step), &window, x.as_slice()?, y.as_mut_slice()?);
    }, else { return Err(unsupported("MaxPool", x.dtype())) });
    ctx.set_output(0, y);
    Ok(())
}

fn gradient(op: &Operation, grads: &OutGrads) -> Result<Vec<Option<Grad>>> {
    let dx = sliding_like(op, "MaxPoolGrad", [op.input(0), op.output(0), grads.dense(0)]);
    Ok(vec![Some(dx.into())])
}
