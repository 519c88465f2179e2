//! `SegmentMax`: the largest elements of segments of rows.

use super::segment_gradients::of_extreme;
use super::segments::{Join, segment, segment_shape};
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "SegmentMax(data: T, segment_ids: Tindices) -> (output: T)",
    attrs: "T: type in {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64}; Tindices: type in {int32, int64}",
    doc: "output[i] = the largest elements of the rows data[j] with segment_ids[j] = i; the numbers do not fall.",
    shape: segment_shape,
    gradient: Gradient::Of(|op, grads| Ok(vec![Some(of_extreme(op, &grads.dense(0)).into()), None])),
    kernels: &[Kernel::cpu(|ctx| segment(ctx, Join::Max)).on("T", REAL)],
    tolerance: Tolerance::Rounding,
    ..WORDS
};
