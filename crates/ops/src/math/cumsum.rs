//! `Cumsum`: running sums along an axis.

use super::running::{backwards, running};
use crate::prelude::*;
use ferroflow_math::ScanOp;

pub const OP: OpSpec = OpSpec {
    signature: "Cumsum(x: T, axis: Tidx) -> (out: T)",
    attrs: "exclusive: bool = false; reverse: bool = false; T: type in {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, complex128, half, uint32, uint64}; Tidx: type in {int32, int64} = int32",
    doc: "out = the sums of x up to each element along axis; exclusive leaves the element itself out, reverse sums from the end.",
    shape: shape::unchanged,
    gradient: Gradient::Of(gradient),
    kernels: &[Kernel::cpu(|ctx| running(ctx, ScanOp::Sum)).on("T", NUMERIC)],
    tolerance: Tolerance::Rounding,
    ..WORDS
};

fn gradient(op: &Operation, grads: &OutGrads) -> Result<Vec<Option<Grad>>> {
    Ok(vec![Some(backwards(op, &grads.dense(0))?.into()), None])
}
