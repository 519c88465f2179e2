//! `UnsortedSegmentProd`: the products of segments of rows in any order.

use super::segments::{Empty, Join};
use super::unsorted_segments::{unsorted_segment, unsorted_segment_shape};
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "UnsortedSegmentProd(data: T, segment_ids: Tindices, num_segments: Tnumsegments) -> (output: T)",
    attrs: "T: type in {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, complex128, half, uint32, uint64}; Tindices: type in {int32, int64}; Tnumsegments: type in {int32, int64} = int32",
    doc: "output[i] = the products of the rows data[j...] with segment_ids[j...] = i, for num_segments segments; negative numbers are left out.",
    shape: unsorted_segment_shape,
    kernels: &[Kernel::cpu(|ctx| unsorted_segment(ctx, Join::Prod, Empty::One)).on("T", NUMERIC)],
    tolerance: Tolerance::Rounding,
    ..WORDS
};
