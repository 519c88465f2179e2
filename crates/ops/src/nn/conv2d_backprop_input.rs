//! `Conv2DBackpropInput`: the gradient of `Conv2D` by the images.

use super::convolution::{CONVOLVED, Loop, check_gradient_shape, run, sizes, window};
use super::sliding_window::sliding_like;
use crate::array::dims::shape_of;
use crate::prelude::*;
use ferroflow_math::{ConvElement, ParallelFor, Window, conv2d_backprop_input};

pub const OP: OpSpec = OpSpec {
    signature: "Conv2DBackpropInput(input_sizes: int32, filter: T, out_backprop: T) -> (output: T)",
    attrs: "T: type in {half, bfloat16, float, double, int32}; strides: list(int); use_cudnn_on_gpu: bool = true; padding: string in {\"SAME\", \"VALID\", \"EXPLICIT\"}; explicit_paddings: list(int) = []; data_format: string in {\"NHWC\", \"NCHW\"} = \"NHWC\"; dilations: list(int) = [1, 1, 1, 1]",
    doc: "output = the gradient, of shape input_sizes, of the images that were convolved with filter, from that of the result.",
    shape: input_shape,
    gradient: Gradient::Of(gradient),
    kernels: &[Kernel::cpu(compute).on("T", CONVOLVED)],
    tolerance: Tolerance::Rounding,
    ..WORDS
};

struct Backward {
    window: Window,
    depth: usize,
}

impl Loop for Backward {
    fn run<T: ConvElement>(&self, pool: &dyn ParallelFor, filter: &[T], dy: &[T], dx: &mut [T]) {
        conv2d_backprop_input(pool, &self.window, filter, self.depth, dy, dx);
    }
}

/// The shape of the images: all of it, or only rows and columns as TF allows.
fn images(ctx: &OpKernelContext) -> Result<Shape> {
    let t = ctx.input(0)?;
    let (filter, dy) = (ctx.input(1)?.shape(), ctx.input(2)?.shape());
    if t.rank() == 1 && t.num_elements() == 2 && filter.rank() == 4 && dy.rank() == 4 {
        let spatial = t.to_i64s()?;
        return Shape::new(&[dy.dims()[0], spatial[0], spatial[1], filter.dims()[2]]);
    }
    sizes(ctx, 0, "input_sizes")
}

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let shape = images(ctx)?;
    let (window, depth) = window(ctx, &shape, ctx.input(1)?.shape())?;
    check_gradient_shape(ctx, ctx.input(2)?.shape(), &window, depth)?;
    let out = run(ctx, 1, 2, shape, &Backward { window, depth })?;
    ctx.set_output(0, out);
    Ok(())
}

fn input_shape(c: &mut ShapeContext) -> Result<()> {
    let s = if c.input(0).dim(0) == Some(2) { PartialShape::of_rank(4) } else { c.input_as_shape(0)?.merge(&PartialShape::of_rank(4))? };
    c.set_output(0, s);
    Ok(())
}

fn gradient(op: &Operation, grads: &OutGrads) -> Result<Vec<Option<Grad>>> {
    let (filter, dy, ddx) = (op.input(1), op.input(2), grads.dense(0));
    let df = sliding_like(op, "Conv2DBackpropFilter", [ddx.clone(), shape_of(&filter), dy]);
    let ddy = sliding_like(op, "Conv2D", [ddx, filter]);
    Ok(vec![None, Some(df.into()), Some(ddy.into())])
}
