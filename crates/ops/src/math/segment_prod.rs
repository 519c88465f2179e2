//! `SegmentProd`: the products of segments of rows.

use super::segments::{Join, segment, segment_shape};
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "SegmentProd(data: T, segment_ids: Tindices) -> (output: T)",
    attrs: "T: type in {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, complex128, half, uint32, uint64}; Tindices: type in {int32, int64}",
    doc: "output[i] = the products of the rows data[j] with segment_ids[j] = i; the numbers do not fall.",
    shape: segment_shape,
    kernels: &[Kernel::cpu(|ctx| segment(ctx, Join::Prod)).on("T", NUMERIC)],
    tolerance: Tolerance::Rounding,
    ..WORDS
};
