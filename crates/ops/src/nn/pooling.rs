//! What pools share: the window over the images, and their shape function.

use super::sliding_window::{Sliding, pool_size};
use crate::prelude::*;
use ferroflow_math::Window;

/// The window of a pool over images.
///
/// Errors: `InvalidArgument` for images that are not of rank 4, and windows larger than the padded image.
pub(crate) fn pool_window(ctx: &OpKernelContext, images: &Shape) -> Result<Window> {
    if images.rank() != 4 {
        return Err(invalid_argument(format!("tensor_in must be 4-dimensional, got shape {images}")));
    }
    let size = pool_size(&ctx.node.attrs)?;
    let window = Sliding::of(&ctx.node.attrs)?.window(images, size)?;
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
    let x = c.with_rank(0, 4)?;
    let attrs = &c.node().attrs;
    let (Ok(sliding), Ok(size)) = (Sliding::of(attrs), pool_size(attrs)) else {
        c.set_output(0, PartialShape::of_rank(4));
        return Ok(());
    };
    let rows = sliding.known_along(0, x.dim(1), Some(size[0] as i64))?;
    let cols = sliding.known_along(1, x.dim(2), Some(size[1] as i64))?;
    c.set_output(0, PartialShape::new(&[x.dim(0), rows, cols, x.dim(3)]));
    Ok(())
}
