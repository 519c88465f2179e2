//! `CropAndResize`: parts of images, resized to one size.

use super::crops::{Boxes, Method, axes};
use super::resizing::size;
use crate::prelude::*;
use ferroflow_tensor::Element;
use num_traits::AsPrimitive;

const TYPES: &[DType] =
    &[DType::UInt8, DType::UInt16, DType::Int8, DType::Int16, DType::Int32, DType::Int64, DType::Half, DType::Float, DType::Double];

pub const OP: OpSpec = OpSpec {
    signature: "CropAndResize(image: T, boxes: float, box_ind: int32, crop_size: int32) -> (crops: float)",
    attrs: "T: type in {uint8, uint16, int8, int16, int32, int64, half, float, double}; method: string in {\"bilinear\", \"nearest\"} = \"bilinear\"; extrapolation_value: float = 0.0",
    doc: "crops[i] = the part of image[box_ind[i]] in boxes[i] (`[y1, x1, y2, x2]` as shares of the image), resized to crop_size; outside the image it is extrapolation_value.",
    shape,
    gradient: Gradient::Of(gradient),
    kernels: &[Kernel::cpu(compute).on("T", TYPES)],
    tolerance: Tolerance::Rounding,
    ..WORDS
};

fn shape(c: &mut ShapeContext) -> Result<()> {
    let image = c.with_rank(0, 4)?;
    let boxes = c.with_rank(1, 2)?;
    if boxes.dim(1).is_some_and(|n| n != 4) {
        return Err(invalid_argument(format!("boxes must have 4 columns, not {}", c.input(1))));
    }
    let indices = c.with_rank(2, 1)?;
    if c.with_rank(3, 1)?.dim(0).is_some_and(|n| n != 2) {
        return Err(invalid_argument(format!("crop_size must have two elements, not {}", c.input(3))));
    }
    let size = c.constant(3).map(|t| t.to_i64s()).transpose()?;
    let of = |i: usize| size.as_ref().and_then(|s| s.get(i).copied()).filter(|d| *d >= 0);
    c.set_output(0, PartialShape::new(&[boxes.dim(0).or(indices.dim(0)), of(0), of(1), image.dim(3)]));
    Ok(())
}

fn crop<T: Element + AsPrimitive<f32>>(x: &Tensor, boxes: &Boxes, crop: [usize; 2], method: Method, outside: f32) -> Result<Tensor> {
    let &[_, height, width, depth] = x.dims() else { return Err(internal("the rank of the image has been checked")) };
    let (height, width, depth) = (height as usize, width as usize, depth as usize);
    let x = x.as_slice::<T>()?;
    let per_crop = crop[0] * crop[1] * depth;
    Tensor::build(Shape::from_lens(&[boxes.len(), crop[0], crop[1], depth])?, |out: &mut [f32]| {
        if out.is_empty() {
            return Ok(());
        }
        for ((edges, &image), out) in boxes.edges.iter().zip(boxes.images).zip(out.chunks_exact_mut(per_crop)) {
            let [vertical, horizontal] = axes(edges, [height, width], crop);
            for (i, pixel) in out.chunks_exact_mut(depth).enumerate() {
                let (Some(y), Some(x_)) = (vertical.place(i / crop[1]), horizontal.place(i % crop[1])) else {
                    pixel.fill(outside);
                    continue;
                };
                let at =
                    |y: usize, column: usize, d: usize| -> f32 { x[((image as usize * height + y) * width + column) * depth + d].as_() };
                if method == Method::Nearest {
                    let (y, column) = (vertical.nearest(y), horizontal.nearest(x_));
                    pixel.iter_mut().enumerate().for_each(|(d, o)| *o = at(y, column, d));
                    continue;
                }
                let ((top, bottom, down), (left, right, along)) = (vertical.neighbours(y), horizontal.neighbours(x_));
                for (d, o) in pixel.iter_mut().enumerate() {
                    let mean = |y: usize| at(y, left, d) + (at(y, right, d) - at(y, left, d)) * along;
                    let (upper, lower) = (mean(top), mean(bottom));
                    *o = upper + (lower - upper) * down;
                }
            }
        }
        Ok(())
    })
}

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let attrs = &ctx.node.attrs;
    let (method, outside) = (Method::of(attrs)?, attrs.float("extrapolation_value")?);
    let x = ctx.input(0)?;
    let &[batch, height, width, _] = x.dims() else {
        return Err(invalid_argument(format!("input image must be 4-D, got shape {}", x.shape())));
    };
    if height <= 0 || width <= 0 {
        return Err(invalid_argument("image dimensions must be positive"));
    }
    let boxes = Boxes::of(ctx.input(1)?, ctx.input(2)?, batch as usize)?;
    let wanted = size(ctx, 3)?;
    let y = with_real!(x.dtype() => T, { crop::<T>(x, &boxes, wanted, method, outside)? }, else { return Err(unsupported("CropAndResize", x.dtype())) });
    ctx.set_output(0, y);
    Ok(())
}

fn gradient(op: &Operation, grads: &OutGrads) -> Result<Vec<Option<Grad>>> {
    let (graph, image, dy) = (op.graph(), op.input(0), grads.dense(0));
    let method = op.with_attrs(|a| a.str("method").map(str::to_owned))?;
    let of_image = matches!(image.dtype(), DType::Half | DType::Float | DType::Double).then(|| {
        let size = graph.op("Shape").input(image.clone()).attr("out_type", DType::Int32).output();
        let node = graph.op("CropAndResizeGradImage").inputs([dy.clone(), op.input(1), op.input(2), size]);
        Grad::from(node.attr("T", image.dtype()).attr("method", method).output())
    });
    // As in TensorFlow, boxes have the bilinear gradient whatever the method.
    let of_boxes = graph.op("CropAndResizeGradBoxes").inputs([dy, image.clone(), op.input(1), op.input(2)]).output();
    Ok(vec![of_image, Some(of_boxes.into()), None, None])
}
