//! `Cumprod`: running products along an axis.

use super::backward::apply;
use super::running::{backwards, running};
use crate::prelude::*;
use ferroflow_math::ScanOp;

pub const OP: OpSpec = OpSpec {
    signature: "Cumprod(x: T, axis: Tidx) -> (out: T)",
    attrs: "exclusive: bool = false; reverse: bool = false; T: type in {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, complex128, half, uint32, uint64}; Tidx: type in {int32, int64} = int32",
    doc: "out = the products of x up to each element along axis; exclusive leaves the element itself out, reverse starts from the end.",
    shape: shape::unchanged,
    gradient: Gradient::Of(gradient),
    kernels: &[Kernel::cpu(|ctx| running(ctx, ScanOp::Product)).on("T", NUMERIC)],
    tolerance: Tolerance::Rounding,
    ..WORDS
};

/// As in TF, elements that are 0 get no gradient.
fn gradient(op: &Operation, grads: &OutGrads) -> Result<Vec<Option<Grad>>> {
    let scaled = op.output(0) * grads.dense(0);
    Ok(vec![Some(apply("DivNoNan", &[&backwards(op, &scaled)?, &op.input(0)]).into()), None])
}
