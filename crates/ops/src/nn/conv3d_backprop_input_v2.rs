//! `Conv3DBackpropInputV2`: the gradient of the volumes of `Conv3D`.

use super::conv3d::backward;
use super::volume::Volume;
use crate::parallel::pool;
use crate::prelude::*;
use ferroflow_math::{GemmElement, MatrixRef, matmul};
use ferroflow_tensor::Element;
use std::ops::AddAssign;

pub const OP: OpSpec = OpSpec {
    signature: "Conv3DBackpropInputV2(input_sizes: Tshape, filter: T, out_backprop: T) -> (output: T)",
    attrs: "T: type in {half, bfloat16, float, double}; strides: list(int) >= 5; padding: string in {\"SAME\", \"VALID\"}; data_format: string in {\"NDHWC\", \"NCDHW\"} = \"NDHWC\"; dilations: list(int) = [1, 1, 1, 1, 1]; Tshape: type in {int32, int64} = int32",
    doc: "The gradient of the volumes, of shape `input_sizes`, whose convolution with `filter` has the gradient `out_backprop`.",
    shape,
    kernels: &[Kernel::cpu(compute).on("T", FLOATS).heavy()],
    tolerance: Tolerance::Rounding,
    ..WORDS
};

fn spread<T: Element + GemmElement + AddAssign>(ctx: &OpKernelContext, v: &Volume, depth: usize, shape: Shape) -> Result<Tensor> {
    let (filter, dy) = (ctx.input(1)?.as_slice::<T>()?, ctx.input(2)?.as_slice::<T>()?);
    let width = v.covered() * v.depth;
    let (from, to) = v.elements(depth);
    let mut dx = Tensor::zeros(T::DTYPE, shape)?;
    if dx.num_elements() == 0 || to == 0 || width == 0 {
        return Ok(dx);
    }
    let mut patches = crate::sparse::coo::filled(v.places().saturating_mul(width), T::default())?;
    for (grad, image) in dy.chunks_exact(to).zip(dx.as_mut_slice::<T>()?.chunks_exact_mut(from)) {
        let transposed = MatrixRef::new(filter, width, depth).transposed_if(true);
        matmul(&pool(ctx.step), MatrixRef::new(grad, v.places(), depth), transposed, &mut patches, false);
        for (place, row) in patches.chunks_exact(width).enumerate() {
            v.under(place, |pixel, k| {
                let sums = &mut image[pixel * v.depth..(pixel + 1) * v.depth];
                sums.iter_mut().zip(&row[k * v.depth..(k + 1) * v.depth]).for_each(|(s, g)| *s += *g);
            });
        }
    }
    Ok(dx)
}

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let (volume, depth, shape) = backward(ctx, 0)?;
    let dtype = ctx.input(1)?.dtype();
    let dx = with_float!(dtype => T, { spread::<T>(ctx, &volume, depth, shape)? }, else { return Err(unsupported("Conv3DBackpropInputV2", dtype)) });
    ctx.set_output(0, dx);
    Ok(())
}

fn shape(c: &mut ShapeContext) -> Result<()> {
    let sizes = c.input_as_shape(0)?;
    c.set_output(0, if sizes.rank() == Some(5) { sizes } else { PartialShape::of_rank(5) });
    Ok(())
}
