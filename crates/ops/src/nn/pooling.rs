//! What pools share: the window over the images, and their shape function.

use super::sliding_window::{Sliding, pool_size};
use crate::prelude::*;
use ferroflow_math::Window;

/// The window of a pool over images.
///
/// Errors: `InvalidArgument` for images that are not of rank 4, and windows larger than the padded image.
pub(crate) fn pool_window(attrs: &AttrMap, images: &Shape) -> Result<Window> {
    if images.rank() != 4 {
        return Err(invalid_argument(format!("tensor_in must be 4-dimensional, got shape {images}")));
    }
    let size = pool_size(attrs)?;
    let window = Sliding::of(attrs)?.window(images, size)?;
    for ((out, pad), size) in window.out.iter().zip(&window.pad).zip(&size) {
        // A window that lies in the padding alone has no largest element and no mean.
        if *out > 0 && pad >= size {
            return Err(invalid_argument(format!("the padding {pad} is as large as the window {size}")));
        }
    }
    Ok(window)
}

/// The result's shape.
///
/// Errors: `InvalidArgument` if it is too large.
pub(crate) fn pooled(w: &Window) -> Result<Shape> {
    Shape::from_lens(&[w.batch, w.out[0], w.out[1], w.depth])
}

/// The shape of the pool of input 0.
///
/// Errors: as [`pool_window`].
pub(crate) fn pool_shape(c: &mut ShapeContext) -> Result<()> {
    let shape = shape_by(c, &c.node().attrs)?;
    c.set_output(0, shape);
    Ok(())
}

/// The shape of the pool of input 0 for a window that these attributes describe.
///
/// Errors: as [`pool_window`].
pub(super) fn shape_by(c: &ShapeContext, attrs: &AttrMap) -> Result<PartialShape> {
    let x = c.with_rank(0, 4)?;
    let (Ok(sliding), Ok(size)) = (Sliding::of(attrs), pool_size(attrs)) else {
        return Ok(PartialShape::of_rank(4));
    };
    let rows = sliding.known_along(0, x.dim(1), Some(size[0] as i64))?;
    let cols = sliding.known_along(1, x.dim(2), Some(size[1] as i64))?;
    Ok(PartialShape::new(&[x.dim(0), rows, cols, x.dim(3)]))
}

/// The node's attributes with `ksize` and `strides` from the inputs at `at` and behind it, where the second version of a pool has them.
///
/// Errors: `InvalidArgument` if these are not vectors of four numbers.
pub(crate) fn attrs_with_window(ctx: &OpKernelContext, at: usize) -> Result<AttrMap> {
    with_window(&ctx.node.attrs, [ctx.input(at)?, ctx.input(at + 1)?])
}

fn with_window(attrs: &AttrMap, window: [&Tensor; 2]) -> Result<AttrMap> {
    let mut attrs = attrs.clone();
    for (name, t) in ["ksize", "strides"].into_iter().zip(window) {
        if t.dims() != [4] {
            return Err(invalid_argument(format!("{name} must be a vector of four numbers, got shape {}", t.shape())));
        }
        attrs.insert(name, t.to_i64s()?.to_vec());
    }
    Ok(attrs)
}

/// As [`pool_shape`], with `ksize` and `strides` in inputs 1 and 2.
///
/// Errors: as [`pool_shape`]; `InvalidArgument` if these are not vectors of four numbers.
pub(crate) fn pool_v2_shape(c: &mut ShapeContext) -> Result<()> {
    let x = c.with_rank(0, 4)?;
    for i in [1, 2] {
        if c.with_rank(i, 1)?.dim(0).is_some_and(|n| n != 4) {
            return Err(invalid_argument(format!("ksize and strides must have four elements, got {}", c.input(i))));
        }
    }
    let (Some(size), Some(strides)) = (c.constant(1), c.constant(2)) else {
        c.set_output(0, PartialShape::new(&[x.dim(0), None, None, x.dim(3)]));
        return Ok(());
    };
    let attrs = with_window(&c.node().attrs, [size, strides])?;
    let shape = shape_by(c, &attrs)?;
    c.set_output(0, shape);
    Ok(())
}
