//! `SegmentMean`: the means of segments of rows.

use super::segment_gradients::of_mean;
use super::segments::{Join, segment, segment_shape};
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "SegmentMean(data: T, segment_ids: Tindices) -> (output: T)",
    attrs: "T: type in {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, complex128, half, uint32, uint64}; Tindices: type in {int32, int64}",
    doc: "output[i] = the means of the rows data[j] with segment_ids[j] = i; the numbers do not fall.",
    shape: segment_shape,
    gradient: Gradient::Of(|op, grads| Ok(vec![Some(of_mean(op, &grads.dense(0)).into()), None])),
    kernels: &[Kernel::cpu(|ctx| segment(ctx, Join::Mean)).on("T", NUMERIC)],
    tolerance: Tolerance::Rounding,
    ..WORDS
};
