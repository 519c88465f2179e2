//! `AvgPool3DGrad`: the gradient of `AvgPool3D`.

use super::volume::{Volume, dims_at, like, window_size};
use crate::prelude::*;
use ferroflow_tensor::Element;
use num_traits::AsPrimitive;

pub const OP: OpSpec = OpSpec {
    signature: "AvgPool3DGrad(orig_input_shape: int32, grad: T) -> (output: T)",
    attrs: "ksize: list(int) >= 5; strides: list(int) >= 5; padding: string in {\"SAME\", \"VALID\"}; data_format: string in {\"NDHWC\", \"NCDHW\"} = \"NDHWC\"; T: type in {half, bfloat16, float, double}",
    doc: "The gradient of volumes of shape `orig_input_shape` whose means have the gradient `grad`: spread evenly under each window.",
    shape,
    gradient: Gradient::Of(|op, grads| Ok(vec![None, Some(like(op, "AvgPool3D", [grads.dense(0)]).into())])),
    kernels: &[Kernel::cpu(compute).on("T", FLOATS)],
    tolerance: Tolerance::Rounding,
    ..WORDS
};

fn spread<T: Element + AsPrimitive<f64>>(dy: &Tensor, v: &Volume, shape: Shape) -> Result<Tensor>
where
    f64: AsPrimitive<T>,
{
    let (from, to) = v.elements(v.depth);
    let mut sums = crate::sparse::coo::filled(shape.num_elements(), 0f64)?;
    if !sums.is_empty() && to > 0 {
        for (grads, image) in dy.as_slice::<T>()?.chunks_exact(to).zip(sums.chunks_exact_mut(from)) {
            for (place, row) in grads.chunks_exact(v.depth).enumerate() {
                let mut count = 0;
                v.under(place, |_, _| count += 1);
                v.under(place, |pixel, _| {
                    image[pixel * v.depth..].iter_mut().zip(row).for_each(|(s, g)| *s += AsPrimitive::<f64>::as_(*g) / f64::from(count));
                });
            }
        }
    }
    Tensor::from_slice(shape, &sums.iter().map(|s| s.as_()).collect::<Vec<T>>())
}

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let (shape, dy) = (dims_at(ctx, 0)?, ctx.input(1)?);
    let volume = Volume::of(&ctx.node.attrs, &shape, window_size(&ctx.node.attrs, "ksize")?)?;
    if *dy.shape() != volume.result(volume.depth)? {
        return Err(invalid_argument(format!("grad must have shape {}, got {}", volume.result(volume.depth)?, dy.shape())));
    }
    let dx =
        with_float!(dy.dtype() => T, { spread::<T>(dy, &volume, shape)? }, else { return Err(unsupported("AvgPool3DGrad", dy.dtype())) });
    ctx.set_output(0, dx);
    Ok(())
}

fn shape(c: &mut ShapeContext) -> Result<()> {
    let sizes = c.input_as_shape(0)?;
    c.set_output(0, if sizes.rank() == Some(5) { sizes } else { PartialShape::of_rank(5) });
    Ok(())
}
