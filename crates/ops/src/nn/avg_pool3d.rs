//! `AvgPool3D`: the means under a window over volumes.

use super::volume::{Volume, known_shape, like, window_size};
use crate::array::dims::shape_of;
use crate::prelude::*;
use ferroflow_tensor::Element;
use num_traits::AsPrimitive;

pub const OP: OpSpec = OpSpec {
    signature: "AvgPool3D(input: T) -> (output: T)",
    attrs: "ksize: list(int) >= 5; strides: list(int) >= 5; padding: string in {\"SAME\", \"VALID\"}; data_format: string in {\"NDHWC\", \"NCDHW\"} = \"NDHWC\"; T: type in {half, bfloat16, float, double}",
    doc: "output[b, p, r, c, d] = the mean of the input's elements of depth d under the window at p, r, c.",
    shape,
    gradient: Gradient::Of(|op, grads| Ok(vec![Some(like(op, "AvgPool3DGrad", [shape_of(&op.input(0)), grads.dense(0)]).into())])),
    kernels: &[Kernel::cpu(compute).on("T", FLOATS)],
    tolerance: Tolerance::Rounding,
    ..WORDS
};

fn means<T: Element + AsPrimitive<f64>>(x: &Tensor, v: &Volume) -> Result<Tensor>
where
    f64: AsPrimitive<T>,
{
    let (from, to) = v.elements(v.depth);
    let mut y = Tensor::zeros(T::DTYPE, v.result(v.depth)?)?;
    if y.num_elements() == 0 || from == 0 {
        return Ok(y);
    }
    let images = x.as_slice::<T>()?.chunks_exact(from);
    for (image, out) in images.zip(y.as_mut_slice::<T>()?.chunks_exact_mut(to)) {
        for (place, row) in out.chunks_exact_mut(v.depth).enumerate() {
            let (mut sums, mut count) = (vec![0f64; v.depth], 0);
            v.under(place, |pixel, _| {
                count += 1;
                sums.iter_mut().zip(&image[pixel * v.depth..]).for_each(|(s, x)| *s += x.as_());
            });
            row.iter_mut().zip(&sums).for_each(|(o, s)| *o = (s / f64::from(count)).as_());
        }
    }
    Ok(y)
}

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let x = ctx.input(0)?;
    let volume = Volume::of(&ctx.node.attrs, x.shape(), window_size(&ctx.node.attrs, "ksize")?)?;
    let y = with_float!(x.dtype() => T, { means::<T>(x, &volume)? }, else { return Err(unsupported("AvgPool3D", x.dtype())) });
    ctx.set_output(0, y);
    Ok(())
}

/// The shape of a pool of volumes.
///
/// Errors: `InvalidArgument` for inputs that are no volumes.
pub(super) fn shape(c: &mut ShapeContext) -> Result<()> {
    let depth = c.with_rank(0, 5)?.dim(4);
    known_shape(c, window_size(&c.node().attrs, "ksize").ok(), depth)
}
