//! `ResizeNearestNeighborGrad`: the gradient of `ResizeNearestNeighbor`.

use super::resizing::{Scale, images, resized_shape, size};
use crate::prelude::*;
use crate::state::arithmetic::Arithmetic;
use ferroflow_tensor::Element;

pub const OP: OpSpec = OpSpec {
    signature: "ResizeNearestNeighborGrad(grads: T, size: int32) -> (output: T)",
    attrs: "T: type in {uint8, int8, int32, half, float, double, bfloat16}; align_corners: bool = false; half_pixel_centers: bool = false",
    doc: "The gradient of the original image of `size`: for each of its pixels the sum over those of the resized image that are copies of it.",
    shape: resized_shape,
    kernels: &[
        Kernel::cpu(compute).on("T", &[DType::UInt8, DType::Int8, DType::Int32, DType::Half, DType::BFloat16, DType::Float, DType::Double])
    ],
    tolerance: Tolerance::Rounding,
    ..WORDS
};

fn sum<T: Arithmetic + Element>(dy: &Tensor, [height, width]: [usize; 2], scale: Scale) -> Result<Tensor> {
    let [batch, rows, columns, depth] = images(dy)?;
    let (vertical, horizontal) = (scale.nearest(height, rows), scale.nearest(width, columns));
    let grads = dy.as_slice::<T>()?;
    Tensor::build(Shape::from_lens(&[batch, height, width, depth])?, |out: &mut [T]| {
        out.fill(T::default());
        for (i, pixel) in grads.chunks_exact(depth.max(1)).enumerate() {
            let (b, y, x) = (i / (rows * columns), vertical[i / columns % rows], horizontal[i % columns]);
            let place = &mut out[((b * height + y) * width + x) * depth..][..depth];
            place.iter_mut().zip(pixel).for_each(|(o, &g)| *o = o.plus(g));
        }
        Ok(())
    })
}

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let scale = Scale::of(&ctx.node.attrs)?;
    let (dy, size) = (ctx.input(0)?, size(ctx, 1)?);
    let dx = with_real!(dy.dtype() => T, { sum::<T>(dy, size, scale)? }, else { return Err(unsupported("ResizeNearestNeighborGrad", dy.dtype())) });
    ctx.set_output(0, dx);
    Ok(())
}
