//! `Max`: the largest element over some axes.

use super::backward::apply;
use super::reduction::{reduction, reduction_shape, spread};
use crate::prelude::*;
use ferroflow_math::ReduceOp;

pub const OP: OpSpec = OpSpec {
    signature: "Max(input: T, reduction_indices: Tidx) -> (output: T)",
    attrs: "keep_dims: bool = false; T: type in {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64, qint8, quint8, qint32, qint16, quint16}; Tidx: type in {int32, int64} = int32",
    doc: "output = the largest element of input over the axes reduction_indices; keep_dims leaves them with size 1.",
    shape: reduction_shape,
    gradient: Gradient::Of(gradient),
    kernels: &[Kernel::cpu(|ctx| reduction(ctx, ReduceOp::Max)).on("T", REAL)],
    ..WORDS
};

/// Elements that are equally large share the gradient.
fn gradient(op: &Operation, grads: &OutGrads) -> Result<Vec<Option<Grad>>> {
    let (x, axes) = (op.input(0), op.input(1));
    let chosen = apply("Equal", &[&spread(op, &op.output(0))?, &x]);
    let chosen = op.graph().op("Cast").input(chosen).attr("DstT", x.dtype()).output();
    let count = op.graph().op("Sum").inputs([chosen.clone(), axes]).attr("keep_dims", true).output();
    Ok(vec![Some((chosen / count * spread(op, &grads.dense(0))?).into()), None])
}
