//! `MaxPoolWithArgmax`: the largest elements under a window, and where they are.

use super::pooling::{pool_window, pooled, shape_by};
use crate::prelude::*;
use ferroflow_math::Window;
use ferroflow_tensor::Element;

pub const OP: OpSpec = OpSpec {
    signature: "MaxPoolWithArgmax(input: T) -> (output: T, argmax: Targmax)",
    attrs: "ksize: list(int) >= 4; strides: list(int) >= 4; Targmax: type in {int32, int64} = int64; padding: string in {\"SAME\", \"VALID\"}; include_batch_in_index: bool = false; T: type in {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64}",
    doc: "output = as MaxPool; argmax = the place of each of these in its image, ((b height + y) width + x) channels + c, b = 0 unless include_batch_in_index.",
    shape: argmax_shape,
    kernels: &[Kernel::cpu(compute).on("T", REAL)],
    ..WORDS
};

/// The attributes of a pool whose op knows channels only as the last dimension.
pub(super) fn with_format(attrs: &AttrMap) -> AttrMap {
    let mut attrs = attrs.clone();
    attrs.insert("data_format", "NHWC");
    attrs
}

fn argmax_shape(c: &mut ShapeContext) -> Result<()> {
    let attrs = with_format(&c.node().attrs);
    let shape = shape_by(c, &attrs)?;
    c.set_output(0, shape.clone());
    c.set_output(1, shape);
    Ok(())
}

/// The elements of one dimension of an image that the window covers at a place.
fn covered(w: &Window, axis: usize, place: usize) -> std::ops::Range<usize> {
    let start = (place * w.stride[axis]) as isize - w.pad[axis] as isize;
    let end = (start + w.size[axis] as isize).clamp(0, w.image[axis] as isize);
    start.max(0) as usize..end as usize
}

fn largest<T: Element + PartialOrd>(w: &Window, x: &[T], y: &mut [T], mut note: impl FnMut(usize, usize)) {
    let per_image = w.image[0] * w.image[1] * w.depth;
    for (o, y) in y.iter_mut().enumerate() {
        let (d, place) = (o % w.depth, o / w.depth);
        let (b, row, column) = (place / (w.out[0] * w.out[1]), place / w.out[1] % w.out[0], place % w.out[1]);
        let mut best: Option<usize> = None;
        for r in covered(w, 0, row) {
            for c in covered(w, 1, column) {
                let at = b * per_image + (r * w.image[1] + c) * w.depth + d;
                if best.is_none_or(|best| x[at] > x[best]) {
                    best = Some(at);
                }
            }
        }
        let best = best.unwrap_or(b * per_image);
        *y = x[best];
        note(o, best);
    }
}

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let attrs = with_format(&ctx.node.attrs);
    let x = ctx.input(0)?;
    let window = pool_window(&attrs, x.shape())?;
    let shape = pooled(&window)?;
    let per_image = (window.image[0] * window.image[1] * window.depth).max(1);
    let with_batch = attrs.bool("include_batch_in_index")?;
    let mut places = vec![0i64; shape.num_elements()];
    let mut y = Tensor::for_overwrite(x.dtype(), shape.clone())?;
    with_real!(x.dtype() => T, {
        largest::<T>(&window, x.as_slice()?, y.as_mut_slice()?, |o, at| places[o] = if with_batch { at } else { at % per_image } as i64);
    }, else { return Err(unsupported("MaxPoolWithArgmax", x.dtype())) });
    let places = crate::array::dims::index_tensor(ctx.node.output_types[1].dtype, shape, &places)?;
    ctx.set_output(0, y);
    ctx.set_output(1, places);
    Ok(())
}
