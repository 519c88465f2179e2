//! `UnsortedSegmentMin`: the smallest elements of segments of rows in any order.

use super::segment_gradients::of_unsorted_extreme;
use super::segments::{Empty, Join};
use super::unsorted_segments::{unsorted_segment, unsorted_segment_shape};
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "UnsortedSegmentMin(data: T, segment_ids: Tindices, num_segments: Tnumsegments) -> (output: T)",
    attrs: "T: type in {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64}; Tindices: type in {int32, int64}; Tnumsegments: type in {int32, int64} = int32",
    doc: "output[i] = the smallest elements of the rows data[j...] with segment_ids[j...] = i, for num_segments segments; negative numbers are left out.",
    shape: unsorted_segment_shape,
    gradient: Gradient::Of(|op, grads| Ok(vec![Some(of_unsorted_extreme(op, &grads.dense(0)).into()), None, None])),
    kernels: &[Kernel::cpu(|ctx| unsorted_segment(ctx, Join::Min, Empty::Highest)).on("T", REAL)],
    tolerance: Tolerance::Rounding,
    ..WORDS
};
