//! `DepthwiseConv2dNativeBackpropInput`: the gradient of `DepthwiseConv2dNative` for its input.

use super::depthwise::Depthwise;
use crate::array::dims::shape_from;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "DepthwiseConv2dNativeBackpropInput(input_sizes: int32, filter: T, out_backprop: T) -> (output: T)",
    attrs: "T: type in {half, bfloat16, float, double}; strides: list(int); padding: string in {\"SAME\", \"VALID\", \"EXPLICIT\"}; explicit_paddings: list(int) = []; data_format: string in {\"NHWC\", \"NCHW\"} = \"NHWC\"; dilations: list(int) = [1, 1, 1, 1]",
    doc: "The gradient of the images, whose shape is `input_sizes`, from that of the output.",
    shape,
    kernels: &[Kernel::cpu(compute).on("T", FLOATS)],
    tolerance: Tolerance::Rounding,
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let (sizes, other, dy) = (ctx.input(0)?, ctx.input(1)?, ctx.input(2)?);
    if sizes.rank() != 1 {
        return Err(invalid_argument(format!("input_sizes must be a vector, got shape {}", sizes.shape())));
    }
    let shape = shape_from(sizes, "input_sizes")?;
    let conv = Depthwise::new(&ctx.node.attrs, &shape, other.shape())?;
    let out = conv.out_shape()?;
    if out != *dy.shape() {
        return Err(invalid_argument(format!("out_backprop must have shape {out}, got {}", dy.shape())));
    }
    let y = with_float!(dy.dtype() => T, { conv.backprop_input::<T>(ctx.step, other, dy, shape)? }, else { return Err(unsupported("DepthwiseConv2dNativeBackpropInput", dy.dtype())) });
    ctx.set_output(0, y);
    Ok(())
}

fn shape(c: &mut ShapeContext) -> Result<()> {
    let s = c.input_as_shape(0)?;
    c.set_output(0, s);
    Ok(())
}
