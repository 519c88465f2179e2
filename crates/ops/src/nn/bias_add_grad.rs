//! `BiasAddGrad`: the gradient of `BiasAdd` by the bias.

use super::channels::{channel_axis, channels_first, of_value};
use crate::array::dims::shape_of;
use crate::math::backward::apply;
use crate::math::elementwise::refused;
use crate::parallel::pool;
use crate::prelude::*;
use ferroflow_math::{Axes, ReduceOp, reduce};

pub const OP: OpSpec = OpSpec {
    signature: "BiasAddGrad(out_backprop: T) -> (output: T)",
    attrs: "T: type in {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, complex128, half, uint32, uint64}; data_format: string in {\"NHWC\", \"NCHW\"} = \"NHWC\"",
    doc: "output[c] = the sum of out_backprop over all dimensions but that of the channels.",
    shape: grad_shape,
    gradient: Gradient::Of(gradient),
    kernels: &[Kernel::cpu(compute).on("T", NUMERIC)],
    tolerance: Tolerance::Rounding,
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let x = ctx.input(0)?;
    let c = of_value(x.shape(), channels_first(&ctx.node.attrs)?)?;
    let axes = Axes::new(&[c.outer, c.channels, c.inner], &[true, false, true]);
    let dtype = x.dtype();
    let mut y = Tensor::for_overwrite(dtype, Shape::from_lens(&[c.channels])?)?;
    with_numeric!(dtype => T, {
        reduce::<T>(&pool(ctx.step), ReduceOp::Sum, x.as_slice()?, &axes, y.as_mut_slice()?).map_err(|e| refused(e, dtype))?;
    }, else { return Err(unsupported("BiasAddGrad", dtype)) });
    ctx.set_output(0, y);
    Ok(())
}

fn grad_shape(c: &mut ShapeContext) -> Result<()> {
    let x = c.with_rank_at_least(0, 2)?;
    let channels = match x.rank() {
        Some(rank) => x.dim(channel_axis(rank, channels_first(&c.node().attrs)?)),
        None => None,
    };
    c.set_output(0, PartialShape::new(&[channels]));
    Ok(())
}

/// Each channel's gradient goes to all its elements.
fn gradient(op: &Operation, grads: &OutGrads) -> Result<Vec<Option<Grad>>> {
    let (x, dy, graph) = (op.input(0), grads.dense(0), op.graph());
    let shape = shape_of(&x);
    if !op.with_attrs(channels_first)? {
        return Ok(vec![Some(apply("BroadcastTo", &[&dy, &shape]).into())]);
    }
    // [1, channels, 1, …]: ones for the dimensions behind the channels.
    let behind = apply("Sub", &[&apply("Size", &[&shape]), &graph.constant(2i32)]);
    let ones = |n: &Output| apply("Fill", &[&apply("Reshape", &[n, &graph.constant_vector(&[1i32])]), &graph.constant(1i32)]);
    let parts = [graph.constant_vector(&[1i32]), shape_of(&dy), ones(&behind)];
    let kept = graph.op("ConcatV2").input_list(parts).input(graph.constant(0i32)).output();
    Ok(vec![Some(apply("BroadcastTo", &[&apply("Reshape", &[&dy, &kept]), &shape]).into())])
}
