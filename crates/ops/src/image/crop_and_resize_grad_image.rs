//! `CropAndResizeGradImage`: the gradient of `CropAndResize` for the images.

use super::crops::{Boxes, Method, axes, check_grads};
use crate::prelude::*;
use crate::state::arithmetic::Arithmetic;
use ferroflow_tensor::Element;
use num_traits::AsPrimitive;

pub const OP: OpSpec = OpSpec {
    signature: "CropAndResizeGradImage(grads: float, boxes: float, box_ind: int32, image_size: int32) -> (output: T)",
    attrs: "T: type in {float, half, double}; method: string in {\"bilinear\", \"nearest\"} = \"bilinear\"",
    doc: "Zeros of shape image_size, with each number of grads spread over the pixels that its pixel was made of.",
    shape: |c| {
        let shape = match c.constant(3).map(|t| t.to_i64s()).transpose()? {
            Some(size) if size.len() == 4 && size.iter().all(|d| *d >= 0) => {
                PartialShape::new(&size.iter().map(|d| Some(*d)).collect::<Vec<_>>())
            }
            _ => PartialShape::of_rank(4),
        };
        c.set_output(0, shape);
        Ok(())
    },
    kernels: &[Kernel::cpu(compute).on("T", &[DType::Half, DType::Float, DType::Double])],
    tolerance: Tolerance::Rounding,
    ..WORDS
};

fn spread<T: Element + Arithmetic>(dy: &[f32], boxes: &Boxes, crop: [usize; 2], size: [usize; 4], method: Method) -> Result<Tensor>
where
    f32: AsPrimitive<T>,
{
    let [_, height, width, depth] = size;
    let per_crop = (crop[0] * crop[1] * depth).max(1);
    Tensor::build(Shape::from_lens(&size)?, |out: &mut [T]| {
        out.fill(T::default());
        if depth == 0 {
            return Ok(());
        }
        for ((edges, &image), dy) in boxes.edges.iter().zip(boxes.images).zip(dy.chunks_exact(per_crop)) {
            let [vertical, horizontal] = axes(edges, [height, width], crop);
            for (i, pixel) in dy.chunks_exact(depth).enumerate() {
                let (Some(y), Some(x)) = (vertical.place(i / crop[1]), horizontal.place(i % crop[1])) else { continue };
                // Multiplied one after the other, as in TF: products of shares would be rounded otherwise.
                let mut add = |y: usize, x: usize, down: f32, along: f32| {
                    let place = &mut out[((image as usize * height + y) * width + x) * depth..][..depth];
                    place.iter_mut().zip(pixel).for_each(|(o, g)| *o = o.plus((along * (down * g)).as_()));
                };
                if method == Method::Nearest {
                    add(vertical.nearest(y), horizontal.nearest(x), 1.0, 1.0);
                    continue;
                }
                let ((top, bottom, down), (left, right, along)) = (vertical.neighbours(y), horizontal.neighbours(x));
                add(top, left, 1.0 - down, 1.0 - along);
                add(top, right, 1.0 - down, along);
                add(bottom, left, down, 1.0 - along);
                add(bottom, right, down, along);
            }
        }
        Ok(())
    })
}

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let method = Method::of(&ctx.node.attrs)?;
    let (grads, size) = (ctx.input(0)?, ctx.input(3)?);
    if size.dims() != [4] {
        return Err(invalid_argument(format!("image_size must be 1-D with 4 elements, got shape {}", size.shape())));
    }
    let size: Vec<usize> = size.to_i64s()?.iter().filter_map(|d| usize::try_from(*d).ok()).collect();
    let &[batch, height, width, depth] = &size[..] else { return Err(invalid_argument("image_size must not be negative")) };
    if height == 0 || width == 0 {
        return Err(invalid_argument("image dimensions must be positive"));
    }
    let boxes = Boxes::of(ctx.input(1)?, ctx.input(2)?, batch)?;
    let crop = check_grads(grads, &boxes, depth)?;
    let (dtype, dy, size) = (ctx.node.output_types[0].dtype, grads.as_slice::<f32>()?, [batch, height, width, depth]);
    let dx = with_float!(dtype => T, { spread::<T>(dy, &boxes, crop, size, method)? }, else { return Err(unsupported("CropAndResizeGradImage", dtype)) });
    ctx.set_output(0, dx);
    Ok(())
}
