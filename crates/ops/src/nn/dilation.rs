//! Grayscale dilation: what `Dilation2D` and its gradients share (TF: `ParseSizes` of `dilation_ops`).

use super::sliding_window::Sliding;
use crate::prelude::*;
use ferroflow_math::{PoolElement, Window};

/// The attributes with `rates` under the name that convolutions have for it.
fn sliding(attrs: &AttrMap) -> Result<Sliding> {
    let mut attrs = attrs.clone();
    attrs.insert("dilations", attrs.ints("rates")?.to_vec());
    attrs.insert("data_format", "NHWC");
    Sliding::of(&attrs)
}

/// The window of a filter [rows, columns, depth] over images.
///
/// Errors: `InvalidArgument` if they do not fit.
pub(super) fn dilation_window(ctx: &OpKernelContext) -> Result<Window> {
    let (x, filter) = (ctx.input(0)?, ctx.input(1)?);
    if x.rank() != 4 {
        return Err(invalid_argument(format!("input must be 4-dimensional{}", x.shape())));
    }
    let &[rows, columns, depth] = filter.dims() else {
        return Err(invalid_argument(format!("filter must be 3-dimensional: {}", filter.shape())));
    };
    if depth != x.dims()[3] {
        return Err(invalid_argument(format!("input and filter must have the same depth: {} vs {depth}", x.dims()[3])));
    }
    sliding(&ctx.node.attrs)?.window(x.shape(), [rows as usize, columns as usize])
}

/// The shape of the result.
///
/// Errors: `InvalidArgument` if it is too large.
pub(super) fn dilated(w: &Window) -> Result<Shape> {
    Shape::from_lens(&[w.batch, w.out[0], w.out[1], w.depth])
}

/// Calls `found` for each element of the result with its position, the sum that is largest there, and the positions in images and filter
/// of the two that make it, where the filter touches the image at all.
pub(super) fn for_each_largest<T: PoolElement>(x: &[T], filter: &[T], w: &Window, mut found: impl FnMut(usize, Option<(T, usize, usize)>)) {
    let inside = |out: usize, k: usize, axis: usize| {
        (out * w.stride[axis] + k * w.dilation[axis]).checked_sub(w.pad[axis]).filter(|at| *at < w.image[axis])
    };
    let mut place = 0;
    for b in 0..w.batch {
        for (r, c) in (0..w.out[0]).flat_map(|r| (0..w.out[1]).map(move |c| (r, c))) {
            for d in 0..w.depth {
                let mut best: Option<(T, usize, usize)> = None;
                for (i, row) in (0..w.size[0]).filter_map(|i| Some((i, inside(r, i, 0)?))) {
                    for (j, column) in (0..w.size[1]).filter_map(|j| Some((j, inside(c, j, 1)?))) {
                        let at = ((b * w.image[0] + row) * w.image[1] + column) * w.depth + d;
                        let tap = (i * w.size[1] + j) * w.depth + d;
                        let sum = x[at].plus(filter[tap]);
                        if best.as_ref().is_none_or(|(most, ..)| sum > *most) {
                            best = Some((sum, at, tap));
                        }
                    }
                }
                found(place, best);
                place += 1;
            }
        }
    }
}

/// Adds the gradient of each element of the result to that of the image's (or, if `to_filter`, the filter's) element it comes from.
///
/// Errors: as [`dilation_window`]; `InvalidArgument` if the gradient has another shape than the result.
pub(super) fn dilation_gradient(ctx: &mut OpKernelContext, to_filter: bool) -> Result<()> {
    let window = dilation_window(ctx)?;
    let (x, filter, dy) = (ctx.input(0)?, ctx.input(1)?, ctx.input(2)?);
    let wanted = dilated(&window)?;
    if *dy.shape() != wanted {
        return Err(invalid_argument(format!("out_backprop has incompatible size: expected {wanted}, got {}", dy.shape())));
    }
    let like = if to_filter { filter } else { x };
    let mut dx = Tensor::zeros(like.dtype(), like.shape().clone())?;
    with_real!(x.dtype() => T, {
        let (dys, out) = (dy.as_slice::<T>()?, dx.as_mut_slice::<T>()?);
        for_each_largest::<T>(x.as_slice()?, filter.as_slice()?, &window, |place, best| {
            if let Some((_, at, tap)) = best {
                let to = if to_filter { tap } else { at };
                out[to] = out[to].plus(dys[place]);
            }
        });
    }, else { return Err(unsupported("dilation", x.dtype())) });
    ctx.set_output(0, dx);
    Ok(())
}

/// The shape of the result.
///
/// Errors: `InvalidArgument` if images and filter do not fit.
pub(super) fn dilation_shape(c: &mut ShapeContext) -> Result<()> {
    let (x, filter) = (c.with_rank(0, 4)?, c.with_rank(1, 3)?);
    if let (Some(a), Some(b)) = (x.dim(3), filter.dim(2))
        && a != b
    {
        return Err(invalid_argument(format!("input and filter must have the same depth: {a} vs {b}")));
    }
    let sliding = sliding(&c.node().attrs)?;
    let (rows, columns) = (sliding.known_along(0, x.dim(1), filter.dim(0))?, sliding.known_along(1, x.dim(2), filter.dim(1))?);
    c.set_output(0, PartialShape::new(&[x.dim(0), rows, columns, x.dim(3).or(filter.dim(2))]));
    Ok(())
}

/// A node of `op` with the attributes of `like` that say how the filter slides.
///
/// Errors: `InvalidArgument` if there are none.
pub(super) fn dilation_like(like: &Operation, op: &str, grad: Output) -> Result<Output> {
    let mut node = like.graph().op(op).inputs([like.input(0), like.input(1), grad]);
    for name in ["strides", "rates", "padding"] {
        let value = like.with_attrs(|a| a.get(name).cloned());
        node = node.attr(name, value.ok_or_else(|| invalid_argument(format!("{} has no {name}", like.name())))?);
    }
    Ok(node.output())
}
