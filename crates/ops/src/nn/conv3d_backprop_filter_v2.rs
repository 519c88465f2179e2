//! `Conv3DBackpropFilterV2`: the gradient of the filter of `Conv3D`.

use super::conv3d::backward;
use super::volume::Volume;
use crate::parallel::pool;
use crate::prelude::*;
use ferroflow_math::{GemmElement, MatrixRef, matmul};
use ferroflow_tensor::Element;

pub const OP: OpSpec = OpSpec {
    signature: "Conv3DBackpropFilterV2(input: T, filter_sizes: int32, out_backprop: T) -> (output: T)",
    attrs: "T: type in {half, bfloat16, float, double}; strides: list(int) >= 5; padding: string in {\"SAME\", \"VALID\"}; data_format: string in {\"NDHWC\", \"NCDHW\"} = \"NDHWC\"; dilations: list(int) = [1, 1, 1, 1, 1]",
    doc: "The gradient of the filter, of shape `filter_sizes`, with which the convolution of `input` has the gradient `out_backprop`.",
    shape,
    kernels: &[Kernel::cpu(compute).on("T", FLOATS).heavy()],
    tolerance: Tolerance::Rounding,
    ..WORDS
};

fn gather<T: Element + GemmElement>(ctx: &OpKernelContext, v: &Volume, depth: usize, shape: Shape) -> Result<Tensor> {
    let (x, dy) = (ctx.input(0)?.as_slice::<T>()?, ctx.input(2)?.as_slice::<T>()?);
    let width = v.covered() * v.depth;
    let (from, to) = v.elements(depth);
    let mut dw = Tensor::zeros(T::DTYPE, shape)?;
    if dw.num_elements() == 0 || to == 0 || from == 0 {
        return Ok(dw);
    }
    for (i, (image, grad)) in x.chunks_exact(from).zip(dy.chunks_exact(to)).enumerate() {
        let patches = v.patches(image)?;
        let transposed = MatrixRef::new(&patches, v.places(), width).transposed_if(true);
        matmul(&pool(ctx.step), transposed, MatrixRef::new(grad, v.places(), depth), dw.as_mut_slice()?, i > 0);
    }
    Ok(dw)
}

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let (volume, depth, shape) = backward(ctx, 1)?;
    let dtype = ctx.input(0)?.dtype();
    let dw = with_float!(dtype => T, { gather::<T>(ctx, &volume, depth, shape)? }, else { return Err(unsupported("Conv3DBackpropFilterV2", dtype)) });
    ctx.set_output(0, dw);
    Ok(())
}

fn shape(c: &mut ShapeContext) -> Result<()> {
    let sizes = c.input_as_shape(1)?;
    c.set_output(0, if sizes.rank() == Some(5) { sizes } else { PartialShape::of_rank(5) });
    Ok(())
}
