//! `CropAndResizeGradBoxes`: the gradient of `CropAndResize` for the boxes.

use super::crops::{Boxes, Method, axes, check_grads};
use crate::prelude::*;
use ferroflow_tensor::Element;
use num_traits::AsPrimitive;

pub const OP: OpSpec = OpSpec {
    signature: "CropAndResizeGradBoxes(grads: float, image: T, boxes: float, box_ind: int32) -> (output: float)",
    attrs: "T: type in {uint8, uint16, int8, int16, int32, int64, half, float, double}; method: string in {\"bilinear\"} = \"bilinear\"",
    doc: "How the sum of grads times the crops changes with each edge of the boxes.",
    shape: |c| {
        let boxes = c.with_rank(2, 2)?;
        c.set_output(0, boxes);
        Ok(())
    },
    kernels: &[Kernel::cpu(compute).on(
        "T",
        &[DType::UInt8, DType::UInt16, DType::Int8, DType::Int16, DType::Int32, DType::Int64, DType::Half, DType::Float, DType::Double],
    )],
    tolerance: Tolerance::Rounding,
    ..WORDS
};

fn slopes<T: Element + AsPrimitive<f32>>(dy: &[f32], x: &Tensor, boxes: &Boxes, crop: [usize; 2]) -> Result<Vec<f32>> {
    let &[_, height, width, depth] = x.dims() else { return Err(internal("the rank of the image has been checked")) };
    let (height, width, depth) = (height as usize, width as usize, depth as usize);
    let x = x.as_slice::<T>()?;
    let mut out = vec![0f32; boxes.len() * 4];
    if depth == 0 {
        return Ok(out);
    }
    let per_crop = crop[0] * crop[1] * depth;
    for (((edges, &image), dy), out) in boxes.edges.iter().zip(boxes.images).zip(dy.chunks_exact(per_crop)).zip(out.chunks_exact_mut(4)) {
        let [vertical, horizontal] = axes(edges, [height, width], crop);
        // How far a place moves with the edge before and behind it.
        let moves = |i: usize, n: usize, extent: f32| match n {
            0 | 1 => [0.5 * extent; 2],
            _ => [extent - i as f32 * (extent / (n - 1) as f32), i as f32 * (extent / (n - 1) as f32)],
        };
        for (i, pixel) in dy.chunks_exact(depth).enumerate() {
            let (row, column) = (i / crop[1], i % crop[1]);
            let (Some(y), Some(x_)) = (vertical.place(row), horizontal.place(column)) else { continue };
            let ((top, bottom, down), (left, right, along)) = (vertical.neighbours(y), horizontal.neighbours(x_));
            let (rise, run) = (moves(row, crop[0], vertical.extent()), moves(column, crop[1], horizontal.extent()));
            for (d, dy) in pixel.iter().enumerate() {
                let at = |y: usize, x_: usize| -> f32 { x[((image as usize * height + y) * width + x_) * depth + d].as_() };
                let (tl, tr, bl, br) = (at(top, left), at(top, right), at(bottom, left), at(bottom, right));
                let slope_y = dy * ((1.0 - along) * (bl - tl) + along * (br - tr));
                let slope_x = dy * ((1.0 - down) * (tr - tl) + down * (br - bl));
                out[0] += slope_y * rise[0];
                out[2] += slope_y * rise[1];
                out[1] += slope_x * run[0];
                out[3] += slope_x * run[1];
            }
        }
    }
    Ok(out)
}

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    Method::of(&ctx.node.attrs)?;
    let (grads, x) = (ctx.input(0)?, ctx.input(1)?);
    let &[batch, height, width, depth] = x.dims() else {
        return Err(invalid_argument(format!("input image must be 4-D, got shape {}", x.shape())));
    };
    if height <= 0 || width <= 0 {
        return Err(invalid_argument("image dimensions must be positive"));
    }
    let boxes = Boxes::of(ctx.input(2)?, ctx.input(3)?, batch as usize)?;
    let crop = check_grads(grads, &boxes, depth as usize)?;
    let dy = grads.as_slice::<f32>()?;
    let out = with_real!(x.dtype() => T, { slopes::<T>(dy, x, &boxes, crop)? }, else { return Err(unsupported("CropAndResizeGradBoxes", x.dtype())) });
    ctx.set_output(0, Tensor::from_slice(Shape::from_lens(&[boxes.len(), 4])?, &out)?);
    Ok(())
}
