//! `AccumulateNV2`: the sum of any number of tensors of one shape, by its newer name.

use super::add_n::sum;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "AccumulateNV2(inputs: N * T) -> (sum: T)",
    attrs: "N: int >= 1; T: type in {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, complex128, half, uint32, uint64}; shape: shape",
    flags: "commutative,aggregate",
    doc: "sum = the sum of all inputs, which are of the shape that the attribute says.",
    shape: sum_shape,
    gradient: Gradient::Of(gradient),
    kernels: &[Kernel::cpu(compute).on("T", NUMERIC)],
    tolerance: Tolerance::Rounding,
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let shape = ctx.input(0)?.shape().clone();
    for i in 1..ctx.num_inputs() {
        if *ctx.input(i)?.shape() != shape {
            return Err(invalid_argument(format!("Parameters and update must be the same size: {shape} and {}", ctx.input(i)?.shape())));
        }
    }
    sum(ctx, shape)
}

fn sum_shape(c: &mut ShapeContext) -> Result<()> {
    let mut shape = c.node().attrs.shape("shape")?.clone();
    for i in 0..c.num_inputs() {
        shape = shape.merge(&c.input(i))?;
    }
    c.set_output(0, shape);
    Ok(())
}

fn gradient(op: &Operation, grads: &OutGrads) -> Result<Vec<Option<Grad>>> {
    Ok(vec![Some(grads.dense(0).into()); op.num_inputs()])
}
