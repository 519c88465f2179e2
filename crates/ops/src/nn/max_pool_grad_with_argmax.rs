//! `MaxPoolGradWithArgmax`: the gradient of `MaxPoolWithArgmax`.

use super::max_pool_with_argmax::with_format;
use super::pooling::{pool_window, pooled};
use crate::prelude::*;
use crate::state::arithmetic::Arithmetic;
use ferroflow_tensor::Element;

pub const OP: OpSpec = OpSpec {
    signature: "MaxPoolGradWithArgmax(input: T, grad: T, argmax: Targmax) -> (output: T)",
    attrs: "ksize: list(int) >= 4; strides: list(int) >= 4; padding: string in {\"SAME\", \"VALID\"}; include_batch_in_index: bool = false; Targmax: type in {int32, int64}; T: type in {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64}",
    doc: "output = zeros like input, with each number of grad added at the place that argmax has for it.",
    shape: shape::unchanged_with_rank_at_least::<4>,
    kernels: &[Kernel::cpu(compute).on("T", REAL)],
    tolerance: Tolerance::Rounding,
    ..WORDS
};

fn spread<T: Element + Arithmetic>(dy: &[T], places: &[i64], dx: &mut [T], per_image: usize, with_batch: bool, batch: usize) -> Result<()> {
    dx.fill(T::default());
    let per_result = (dy.len() / batch.max(1)).max(1);
    for (i, (dy, &place)) in dy.iter().zip(places).enumerate() {
        let image = i / per_result * per_image;
        let at = if with_batch { Some(place) } else { place.checked_add(image as i64) };
        let at = at.and_then(|at| usize::try_from(at).ok()).filter(|at| (image..image + per_image).contains(at));
        match at.and_then(|at| dx.get_mut(at)) {
            Some(dx) => *dx = dx.plus(*dy),
            None => {
                return Err(invalid_argument(format!(
                    "MaxPoolGradWithArgmax: the place {place} of element {i} lies outside the image of {per_image} numbers"
                )));
            }
        }
    }
    Ok(())
}

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let attrs = with_format(&ctx.node.attrs);
    let (x, dy, argmax) = (ctx.input(0)?, ctx.input(1)?, ctx.input(2)?);
    let window = pool_window(&attrs, x.shape())?;
    let wanted = pooled(&window)?;
    for (name, t) in [("grad", dy), ("argmax", argmax)] {
        if *t.shape() != wanted {
            return Err(invalid_argument(format!("Expected {name} shape to be {wanted}, but got {}", t.shape())));
        }
    }
    let places = argmax.to_i64s()?;
    let per_image = window.image[0] * window.image[1] * window.depth;
    let with_batch = attrs.bool("include_batch_in_index")?;
    let mut dx = Tensor::for_overwrite(x.dtype(), x.shape().clone())?;
    with_real!(x.dtype() => T, {
        spread::<T>(dy.as_slice()?, &places, dx.as_mut_slice()?, per_image, with_batch, window.batch)?;
    }, else { return Err(unsupported("MaxPoolGradWithArgmax", x.dtype())) });
    ctx.set_output(0, dx);
    Ok(())
}
