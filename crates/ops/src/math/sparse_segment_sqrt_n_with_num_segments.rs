//! `SparseSegmentSqrtNWithNumSegments`: sums, divided by the square root of their number, of segments of chosen rows, for a given number of segments.

use super::segments::Join;
use super::sparse_segments::{sparse_segment, sparse_segment_gradient, sparse_segment_shape};
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "SparseSegmentSqrtNWithNumSegments(data: T, indices: Tidx, segment_ids: Tsegmentids, num_segments: Tnumsegments) -> (output: T)",
    attrs: "T: type in {bfloat16, half, float, double}; Tidx: type in {int32, int64} = int32; Tnumsegments: type in {int32, int64} = int32; Tsegmentids: type in {int32, int64} = int32; sparse_gradient: bool = false",
    doc: "output[i] = the sums, divided by the square root of their number, of the rows data[indices[j]] with segment_ids[j] = i; the numbers do not fall.",
    shape: sparse_segment_shape,
    gradient: Gradient::Of(|op, grads| sparse_segment_gradient(op, grads, "SparseSegmentSqrtNGrad")),
    kernels: &[Kernel::cpu(|ctx| sparse_segment(ctx, Join::SqrtN)).on("T", FLOATS)],
    tolerance: Tolerance::Rounding,
    ..WORDS
};
