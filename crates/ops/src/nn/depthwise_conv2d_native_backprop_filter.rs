//! `DepthwiseConv2dNativeBackpropFilter`: the gradient of `DepthwiseConv2dNative` for its filter.

use super::depthwise::Depthwise;
use crate::array::dims::shape_from;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "DepthwiseConv2dNativeBackpropFilter(input: T, filter_sizes: int32, out_backprop: T) -> (output: T)",
    attrs: "T: type in {half, bfloat16, float, double}; strides: list(int); padding: string in {\"SAME\", \"VALID\", \"EXPLICIT\"}; explicit_paddings: list(int) = []; data_format: string in {\"NHWC\", \"NCHW\"} = \"NHWC\"; dilations: list(int) = [1, 1, 1, 1]",
    doc: "The gradient of the filter, whose shape is `filter_sizes`, from that of the output.",
    shape,
    kernels: &[Kernel::cpu(compute).on("T", FLOATS)],
    tolerance: Tolerance::Rounding,
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let (sizes, other, dy) = (ctx.input(1)?, ctx.input(0)?, ctx.input(2)?);
    if sizes.rank() != 1 {
        return Err(invalid_argument(format!("filter_sizes must be a vector, got shape {}", sizes.shape())));
    }
    let shape = shape_from(sizes, "filter_sizes")?;
    let conv = Depthwise::new(&ctx.node.attrs, other.shape(), &shape)?;
    let out = conv.out_shape()?;
    if out != *dy.shape() {
        return Err(invalid_argument(format!("out_backprop must have shape {out}, got {}", dy.shape())));
    }
    let y = with_float!(dy.dtype() => T, { conv.backprop_filter::<T>(other, dy, shape)? }, else { return Err(unsupported("DepthwiseConv2dNativeBackpropFilter", dy.dtype())) });
    ctx.set_output(0, y);
    Ok(())
}

fn shape(c: &mut ShapeContext) -> Result<()> {
    let s = c.input_as_shape(1)?;
    c.set_output(0, s);
    Ok(())
}
