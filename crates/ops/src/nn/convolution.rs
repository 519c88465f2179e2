//! What `Conv2D` and its gradients share: shapes checked against each other, and their kernels.

use super::sliding_window::Sliding;
use crate::parallel::pool;
use crate::prelude::*;
use ferroflow_math::{ConvElement, Window, conv2d};

/// Types with a convolution.
pub(crate) const CONVOLVED: &[DType] = &[DType::Half, DType::BFloat16, DType::Float, DType::Double, DType::Int32];

/// A vector of four sizes as a shape.
///
/// Errors: `InvalidArgument` if it is none.
pub(crate) fn sizes(ctx: &OpKernelContext, i: usize, name: &str) -> Result<Shape> {
    let t = ctx.input(i)?;
    if t.rank() != 1 {
        return Err(invalid_argument(format!("{}: {name} input must be 1-dim, not {}", ctx.node.op_name(), t.rank())));
    }
    if t.num_elements() != 4 {
        return Err(invalid_argument(format!("{} requires {name} to contain 4 values, but got: {}", ctx.node.op_name(), t.num_elements())));
    }
    Shape::new(&t.to_i64s()?)
}

/// The window of a filter of shape [rows, columns, depth, out depth] over images, and the out depth.
///
/// Errors: `InvalidArgument` for ranks and depths that do not fit; `Unimplemented` for a filter of groups.
pub(crate) fn window(ctx: &OpKernelContext, images: &Shape, filter: &Shape) -> Result<(Window, usize)> {
    let sliding = Sliding::of(&ctx.node.attrs)?;
    if images.rank() != 4 {
        return Err(invalid_argument(format!("convolution input must be 4-dimensional: {images}")));
    }
    if filter.rank() != 4 {
        return Err(invalid_argument(format!("convolution filter must be 4-dimensional: {filter}")));
    }
    // A filter that gives no channels is one all the same: the result is empty, the gradients are zeros.
    if filter.dims()[..3].contains(&0) {
        return Err(invalid_argument("filter must not have zero elements (i.e. all dimensions must be non-zero)"));
    }
    let (depth, taken) = (images.dim(3), filter.dim(2));
    if !depth.is_multiple_of(taken) {
        return Err(invalid_argument(format!("input depth must be evenly divisible by filter depth: {depth} vs {taken}")));
    }
    if depth != taken {
        return Err(unimplemented(format!("convolution in groups has no CPU kernel: input depth {depth}, filter depth {taken}")));
    }
    Ok((sliding.window(images, [filter.dim(0), filter.dim(1)])?, filter.dim(3)))
}

/// The result's shape.
///
/// Errors: `InvalidArgument` if it is too large.
pub(crate) fn result_shape(w: &Window, depth: usize) -> Result<Shape> {
    Shape::from_lens(&[w.batch, w.out[0], w.out[1], depth])
}

/// The gradient of the result, which must have the result's shape.
///
/// Errors: `InvalidArgument` if it has not.
pub(crate) fn check_gradient_shape(ctx: &OpKernelContext, dy: &Shape, w: &Window, depth: usize) -> Result<()> {
    let wanted = result_shape(w, depth)?;
    if *dy != wanted {
        return Err(invalid_argument(format!("{}: out_backprop must be of shape {wanted}, got {dy}", ctx.node.op_name())));
    }
    Ok(())
}

/// A loop over images, filters or gradients of any type.
pub(crate) trait Loop {
    fn run<T: ConvElement>(&self, pool: &dyn ferroflow_math::ParallelFor, x: &[T], y: &[T], out: &mut [T]);
}

/// Runs the loop on inputs `x` and `y`.
///
/// Errors: `Unimplemented` for other types; `ResourceExhausted` without memory.
pub(crate) fn run(ctx: &OpKernelContext, x: usize, y: usize, shape: Shape, body: &impl Loop) -> Result<Tensor> {
    let (x, y) = (ctx.input(x)?, ctx.input(y)?);
    let mut out = Tensor::for_overwrite(x.dtype(), shape)?;
    ferroflow_tensor::dispatch!(x.dtype(), [half::f16, half::bf16, f32, f64, i32] => T, {
        body.run::<T>(&pool(ctx.step), x.as_slice()?, y.as_slice()?, out.as_mut_slice()?);
    }, else { return Err(unsupported(ctx.node.op_name(), x.dtype())) });
    Ok(out)
}

/// Images convolved with a filter: inputs 0 and 1.
struct Forward {
    window: Window,
    depth: usize,
}

impl Loop for Forward {
    fn run<T: ConvElement>(&self, pool: &dyn ferroflow_math::ParallelFor, x: &[T], filter: &[T], y: &mut [T]) {
        conv2d(pool, &self.window, x, filter, self.depth, y);
    }
}

/// Input 0 convolved with input 1.
///
/// Errors: as [`window`] and [`run`].
pub(crate) fn convolved(ctx: &OpKernelContext) -> Result<Tensor> {
    let (window, depth) = window(ctx, ctx.input(0)?.shape(), ctx.input(1)?.shape())?;
    run(ctx, 0, 1, result_shape(&window, depth)?, &Forward { window, depth })
}

/// The shape of a convolution's result.
///
/// Errors: `InvalidArgument` for ranks other than 4, and a window larger than the padded image.
pub(crate) fn convolved_shape(c: &mut ShapeContext) -> Result<()> {
    let (x, filter) = (c.with_rank(0, 4)?, c.with_rank(1, 4)?);
    let Ok(sliding) = Sliding::of(&c.node().attrs) else {
        c.set_output(0, PartialShape::of_rank(4));
        return Ok(());
    };
    let rows = sliding.known_along(0, x.dim(1), filter.dim(0))?;
    let cols = sliding.known_along(1, x.dim(2), filter.dim(1))?;
    c.set_output(0, PartialShape::new(&[x.dim(0), rows, cols, filter.dim(3)]));
    Ok(())
}
