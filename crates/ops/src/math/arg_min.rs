//! `ArgMin`: where the smallest element along an axis stands.

use super::extreme::{extreme, extreme_shape};
use crate::prelude::*;
use ferroflow_math::ArgOp;

pub const OP: OpSpec = OpSpec {
    signature: "ArgMin(input: T, dimension: Tidx) -> (output: output_type)",
    attrs: "T: type in {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64, qint8, quint8, qint32, qint16, quint16, bool}; Tidx: type in {int32, int64} = int32; output_type: type in {int32, int64} = int64",
    doc: "output = the index along dimension of the smallest element of input, the first of several.",
    shape: extreme_shape,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(|ctx| extreme(ctx, ArgOp::Min))],
    ..WORDS
};
