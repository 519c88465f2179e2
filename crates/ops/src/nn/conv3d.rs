//! `Conv3D`: convolution of volumes.

use super::volume::{Volume, dims_at, known_shape, like};
use crate::array::dims::shape_of;
use crate::parallel::pool;
use crate::prelude::*;
use ferroflow_math::{GemmElement, MatrixRef, matmul};
use ferroflow_tensor::Element;

pub const OP: OpSpec = OpSpec {
    signature: "Conv3D(input: T, filter: T) -> (output: T)",
    attrs: "T: type in {half, bfloat16, float, double}; strides: list(int) >= 5; padding: string in {\"SAME\", \"VALID\"}; data_format: string in {\"NDHWC\", \"NCDHW\"} = \"NDHWC\"; dilations: list(int) = [1, 1, 1, 1, 1]",
    doc: "output[b, p, r, c, o] = the sum of input[b, …, i] filter[…, i, o] under the window at p, r, c.",
    shape,
    gradient: Gradient::Of(gradient),
    kernels: &[Kernel::cpu(compute).on("T", FLOATS).heavy()],
    tolerance: Tolerance::Rounding,
    ..WORDS
};

/// The window, and the depth of the result, for volumes and a filter of these shapes.
pub(super) fn window(attrs: &AttrMap, volumes: &Shape, filter: &Shape) -> Result<(Volume, usize)> {
    let &[a, b, c, depth, out] = filter.dims() else {
        return Err(invalid_argument(format!("filter must be 5-dimensional: {filter}")));
    };
    if filter.num_elements() == 0 {
        return Err(invalid_argument("filter must not have zero elements (i.e. all dimensions must be non-zero)"));
    }
    let volume = Volume::of(attrs, volumes, [a as usize, b as usize, c as usize])?;
    if volume.depth != depth as usize {
        return Err(invalid_argument(format!("input depth {} must be that of the filter, {depth}", volume.depth)));
    }
    Ok((volume, out as usize))
}

fn convolve<T: Element + GemmElement>(ctx: &OpKernelContext, v: &Volume, depth: usize) -> Result<Tensor> {
    let (x, filter) = (ctx.input(0)?.as_slice::<T>()?, ctx.input(1)?.as_slice::<T>()?);
    let width = v.covered() * v.depth;
    let (from, to) = v.elements(depth);
    let mut y = Tensor::zeros(T::DTYPE, v.result(depth)?)?;
    let out = y.as_mut_slice::<T>()?;
    if out.is_empty() || width == 0 {
        return Ok(y);
    }
    for (image, result) in x.chunks_exact(from.max(1)).zip(out.chunks_exact_mut(to)) {
        let patches = v.patches(image)?;
        matmul(&pool(ctx.step), MatrixRef::new(&patches, v.places(), width), MatrixRef::new(filter, width, depth), result, false);
    }
    Ok(y)
}

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let (x, filter) = (ctx.input(0)?, ctx.input(1)?);
    let (volume, depth) = window(&ctx.node.attrs, x.shape(), filter.shape())?;
    let y = with_float!(x.dtype() => T, { convolve::<T>(ctx, &volume, depth)? }, else { return Err(unsupported("Conv3D", x.dtype())) });
    ctx.set_output(0, y);
    Ok(())
}

fn gradient(op: &Operation, grads: &OutGrads) -> Result<Vec<Option<Grad>>> {
    let (x, filter, dy) = (op.input(0), op.input(1), grads.dense(0));
    let dx = like(op, "Conv3DBackpropInputV2", [shape_of(&x), filter.clone(), dy.clone()]);
    let dw = like(op, "Conv3DBackpropFilterV2", [x, shape_of(&filter), dy]);
    Ok(vec![Some(dx.into()), Some(dw.into())])
}

fn shape(c: &mut ShapeContext) -> Result<()> {
    let filter = c.with_rank(1, 5)?;
    let size = |i: usize| filter.dim(i).and_then(|d| usize::try_from(d).ok());
    let size = size(0).zip(size(1)).zip(size(2)).map(|((a, b), c)| [a, b, c]);
    known_shape(c, size, filter.dim(4))
}

/// The shape that a backward convolution gets as input `i`, with the window and the depth of the result's gradient, which is checked.
///
/// Errors: `InvalidArgument` for what does not fit.
pub(super) fn backward(ctx: &OpKernelContext, sizes: usize) -> Result<(Volume, usize, Shape)> {
    let wanted = dims_at(ctx, sizes)?;
    let other = ctx.input(1 - sizes)?.shape();
    let (volumes, filter) = if sizes == 0 { (&wanted, other) } else { (other, &wanted) };
    let (volume, depth) = window(&ctx.node.attrs, volumes, filter)?;
    let dy = ctx.input(2)?.shape();
    if *dy != volume.result(depth)? {
        return Err(invalid_argument(format!("out_backprop must have shape {}, got {dy}", volume.result(depth)?)));
    }
    Ok((volume, depth, wanted))
}
