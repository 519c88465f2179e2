//! `DepthwiseConv2dNative`: convolution of each channel by filters of its own.

use super::depthwise::Depthwise;
use super::sliding_window::sliding_like;
use crate::array::dims::shape_of;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "DepthwiseConv2dNative(input: T, filter: T) -> (output: T)",
    attrs: "T: type in {half, bfloat16, float, double}; strides: list(int); padding: string in {\"SAME\", \"VALID\", \"EXPLICIT\"}; explicit_paddings: list(int) = []; data_format: string in {\"NHWC\", \"NCHW\"} = \"NHWC\"; dilations: list(int) = [1, 1, 1, 1]",
    doc: "output[b, i, j, d m + q] = the sum over rows and columns of input[b, i stride + r, j stride + c, d] filter[r, c, d, q].",
    shape,
    gradient: Gradient::Of(gradient),
    kernels: &[Kernel::cpu(compute).on("T", FLOATS)],
    tolerance: Tolerance::Rounding,
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let (x, filter) = (ctx.input(0)?, ctx.input(1)?);
    let conv = Depthwise::new(&ctx.node.attrs, x.shape(), filter.shape())?;
    let y = with_float!(x.dtype() => T, { conv.forward::<T>(ctx.step, x, filter)? }, else { return Err(unsupported("DepthwiseConv2dNative", x.dtype())) });
    ctx.set_output(0, y);
    Ok(())
}

fn shape(c: &mut ShapeContext) -> Result<()> {
    let (x, filter) = (c.with_rank(0, 4)?, c.with_rank(1, 4)?);
    let known = |s: &PartialShape| s.to_shape();
    match (known(&x), known(&filter)) {
        (Some(x), Some(filter)) if c.node().attrs.str("data_format")? == "NHWC" => {
            let out = Depthwise::new(&c.node().attrs, &x, &filter)?.out_shape()?;
            c.set_output(0, out);
        }
        _ => {
            let depth = filter.dim(2).or(x.dim(3)).zip(filter.dim(3)).and_then(|(d, m)| d.checked_mul(m));
            let depth = if c.node().attrs.str("data_format")? == "NHWC" { depth } else { None };
            c.set_output(0, PartialShape::new(&[x.dim(0), None, None, depth]));
        }
    }
    Ok(())
}

fn gradient(op: &Operation, grads: &OutGrads) -> Result<Vec<Option<Grad>>> {
    let (x, filter, dy) = (op.input(0), op.input(1), grads.dense(0));
    let dx = sliding_like(op, "DepthwiseConv2dNativeBackpropInput", [shape_of(&x), filter.clone(), dy.clone()]);
    let df = sliding_like(op, "DepthwiseConv2dNativeBackpropFilter", [x, shape_of(&filter), dy]);
    Ok(vec![Some(dx.into()), Some(df.into())])
}
