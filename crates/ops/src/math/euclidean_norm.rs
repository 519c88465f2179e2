//! `EuclideanNorm`: the Euclidean norm over some axes.

use super::reduction::{reduction, reduction_shape, spread};
use crate::prelude::*;
use ferroflow_math::ReduceOp;

pub const OP: OpSpec = OpSpec {
    signature: "EuclideanNorm(input: T, reduction_indices: Tidx) -> (output: T)",
    attrs: "keep_dims: bool = false; T: type in {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, complex128, half, uint32, uint64}; Tidx: type in {int32, int64} = int32",
    doc: "output = the square root of the sum of |input|^2 over the axes reduction_indices; keep_dims leaves them with size 1.",
    shape: reduction_shape,
    gradient: Gradient::Of(gradient),
    kernels: &[Kernel::cpu(|ctx| reduction(ctx, ReduceOp::EuclideanNorm)).on("T", NUMERIC)],
    tolerance: Tolerance::Rounding,
    ..WORDS
};

fn gradient(op: &Operation, grads: &OutGrads) -> Result<Vec<Option<Grad>>> {
    let (norm, dy) = (spread(op, &op.output(0))?, spread(op, &grads.dense(0))?);
    Ok(vec![Some((op.input(0) / (norm / dy)).into()), None])
}
