//! `ScaleAndTranslate`: images scaled and moved.

use super::resizing::{PIXELS, images, resized_shape, size};
use super::spans::{Sampling, spans, transform};
use crate::parallel::pool;
use crate::prelude::*;
use ferroflow_math::for_each_part;
use ferroflow_tensor::Element;
use num_traits::AsPrimitive;

pub const OP: OpSpec = OpSpec {
    signature: "ScaleAndTranslate(images: T, size: int32, scale: float, translation: float) -> (resized_images: float)",
    attrs: "T: type in {int8, uint8, int16, uint16, int32, int64, bfloat16, half, float, double}; kernel_type: string = \"lanczos3\"; antialias: bool = true",
    doc: "The first `size` rows and columns of `images` times `scale`, moved by `translation`; each pixel is the kernel's weighted mean of those around its place, or 0 outside.",
    shape: resized_shape,
    gradient: Gradient::Of(backward),
    kernels: &[Kernel::cpu(compute).on("T", PIXELS)],
    tolerance: Tolerance::Rounding,
    ..WORDS
};

fn sample<T: Element + AsPrimitive<f32>>(ctx: &OpKernelContext, x: &Tensor, [rows, columns]: [usize; 2]) -> Result<Tensor> {
    let [batch, height, width, depth] = images(x)?;
    let attrs = &ctx.node.attrs;
    let (kernel, antialias) = (Sampling::of(attrs)?, attrs.bool("antialias")?);
    let [(row_scale, row_move), (column_scale, column_move)] = transform(ctx, 2)?;
    let vertical = spans(kernel, antialias, height, rows, row_scale, row_move);
    let horizontal = spans(kernel, antialias, width, columns, column_scale, column_move);
    let x = x.as_slice::<T>()?;
    Tensor::build(Shape::from_lens(&[batch, rows, columns, depth])?, |out: &mut [f32]| {
        if out.is_empty() {
            return Ok(());
        }
        for_each_part(&pool(ctx.step), out, batch * rows, 1, &|range, part| {
            // One row of the image, still as wide as it was.
            let mut row = vec![0f32; width * depth];
            for (line, out) in range.zip(part.chunks_exact_mut(columns * depth)) {
                let (b, v) = (line / rows, &vertical[line % rows]);
                row.fill(0.0);
                for (y, weight) in (v.start..).zip(&v.weights) {
                    let source = &x[(b * height + y) * width * depth..][..width * depth];
                    row.iter_mut().zip(source).for_each(|(r, x)| *r += weight * AsPrimitive::<f32>::as_(*x));
                }
                for (h, pixel) in horizontal.iter().zip(out.chunks_exact_mut(depth)) {
                    for (d, o) in pixel.iter_mut().enumerate() {
                        *o = (h.start..).zip(&h.weights).map(|(x, weight)| weight * row[x * depth + d]).sum();
                    }
                }
            }
        });
        Ok(())
    })
}

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let (x, size) = (ctx.input(0)?, size(ctx, 1)?);
    let y = with_real!(x.dtype() => T, { sample::<T>(ctx, x, size)? }, else { return Err(unsupported("ScaleAndTranslate", x.dtype())) });
    ctx.set_output(0, y);
    Ok(())
}

fn backward(op: &Operation, grads: &OutGrads) -> Result<Vec<Option<Grad>>> {
    let x = op.input(0);
    let (kernel, antialias) = op.with_attrs(|a| -> Result<_> { Ok((a.str("kernel_type")?.to_owned(), a.bool("antialias")?)) })?;
    let original =
        if x.dtype() == DType::Float { x.clone() } else { x.graph().op("Cast").input(x.clone()).attr("DstT", DType::Float).output() };
    let grad = x.graph().op("ScaleAndTranslateGrad").inputs([grads.dense(0), original, op.input(2), op.input(3)]);
    let dx = grad.attr("kernel_type", kernel).attr("antialias", antialias).output();
    Ok(vec![Some(dx.into()), None, None, None])
}
