//! `Conv2DBackpropFilter`: the gradient of `Conv2D` by the filter.

use super::convolution::{Loop, check_gradient_shape, run, sizes, window};
use super::sliding_window::sliding_like;
use crate::array::dims::shape_of;
use crate::prelude::*;
use ferroflow_math::{ConvElement, ParallelFor, Window, conv2d_backprop_filter};

pub const OP: OpSpec = OpSpec {
    signature: "Conv2DBackpropFilter(input: T, filter_sizes: int32, out_backprop: T) -> (output: T)",
    attrs: "T: type in {half, bfloat16, float, double}; strides: list(int); use_cudnn_on_gpu: bool = true; padding: string in {\"SAME\", \"VALID\", \"EXPLICIT\"}; explicit_paddings: list(int) = []; data_format: string in {\"NHWC\", \"NCHW\"} = \"NHWC\"; dilations: list(int) = [1, 1, 1, 1]",
    doc: "output = the gradient, of shape filter_sizes, of the filter that input was convolved with, from that of the result.",
    shape: filter_shape,
    gradient: Gradient::Of(gradient),
    kernels: &[Kernel::cpu(compute).on("T", FLOATS)],
    tolerance: Tolerance::Rounding,
    ..WORDS
};

struct Backward {
    window: Window,
    depth: usize,
}

impl Loop for Backward {
    fn run<T: ConvElement>(&self, pool: &dyn ParallelFor, x: &[T], dy: &[T], df: &mut [T]) {
        conv2d_backprop_filter(pool, &self.window, x, self.depth, dy, df);
    }
}

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let shape = sizes(ctx, 1, "filter_sizes")?;
    let (window, depth) = window(ctx, ctx.input(0)?.shape(), &shape)?;
    check_gradient_shape(ctx, ctx.input(2)?.shape(), &window, depth)?;
    let out = run(ctx, 0, 2, shape, &Backward { window, depth })?;
    ctx.set_output(0, out);
    Ok(())
}

fn filter_shape(c: &mut ShapeContext) -> Result<()> {
    let s = c.input_as_shape(1)?.merge(&PartialShape::of_rank(4))?;
    c.set_output(0, s);
    Ok(())
}

fn gradient(op: &Operation, grads: &OutGrads) -> Result<Vec<Option<Grad>>> {
    let (x, dy, ddf) = (op.input(0), op.input(2), grads.dense(0));
    let dx = sliding_like(op, "Conv2DBackpropInput", [shape_of(&x), ddf.clone(), dy]);
    let ddy = sliding_like(op, "Conv2D", [x, ddf]);
    Ok(vec![Some(dx.into()), None, Some(ddy.into())])
}
