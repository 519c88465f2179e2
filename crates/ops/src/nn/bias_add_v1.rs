//! `BiasAddV1`: adding one number to each channel, without a data format.

use super::bias::{bias_add, bias_shape};
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "BiasAddV1(value: T, bias: T) -> (output: T)",
    attrs: "T: type in {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, complex128, half, uint32, uint64}",
    doc: "output = value + bias, one bias for each element of the last dimension of value.",
    shape: bias_shape,
    gradient: Gradient::Of(gradient),
    kernels: &[Kernel::cpu(bias_add).on("T", NUMERIC)],
    tolerance: Tolerance::Rounding,
    ..WORDS
};

fn gradient(op: &Operation, grads: &OutGrads) -> Result<Vec<Option<Grad>>> {
    let dy = grads.dense(0);
    let db = op.graph().op("BiasAddGrad").input(&dy).output();
    Ok(vec![Some(dy.into()), Some(db.into())])
}
