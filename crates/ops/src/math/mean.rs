//! `Mean`: the mean over some axes.

use super::backward::apply;
use super::reduction::{reduction, reduction_shape, spread};
use crate::array::dims::shape_of;
use crate::prelude::*;
use ferroflow_math::ReduceOp;

pub const OP: OpSpec = OpSpec {
    signature: "Mean(input: T, reduction_indices: Tidx) -> (output: T)",
    attrs: "keep_dims: bool = false; T: type in {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, complex128, half, uint32, uint64}; Tidx: type in {int32, int64} = int32",
    doc: "output = the mean of input over the axes reduction_indices; keep_dims leaves them with size 1.",
    shape: reduction_shape,
    gradient: Gradient::Of(gradient),
    kernels: &[Kernel::cpu(|ctx| reduction(ctx, ReduceOp::Mean)).on("T", NUMERIC)],
    tolerance: Tolerance::Rounding,
    ..WORDS
};

fn gradient(op: &Operation, grads: &OutGrads) -> Result<Vec<Option<Grad>>> {
    let graph = op.graph();
    let size = |o: Output| apply("Prod", &[&shape_of(&o), &graph.constant_vector(&[0i32])]);
    // Of an empty result nothing is divided.
    let parts = apply("Maximum", &[&size(op.output(0)), &graph.constant(1i32)]);
    let count = apply("FloorDiv", &[&size(op.input(0)), &parts]);
    let dx = spread(op, &grads.dense(0))?;
    let count = graph.op("Cast").input(count).attr("DstT", dx.dtype()).output();
    Ok(vec![Some((dx / count).into()), None])
}
