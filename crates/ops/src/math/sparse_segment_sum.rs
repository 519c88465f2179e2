//! `SparseSegmentSum`: sums of segments of chosen rows.

use super::segments::Join;
use super::sparse_segments::{sparse_segment, sparse_segment_gradient, sparse_segment_shape};
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "SparseSegmentSum(data: T, indices: Tidx, segment_ids: Tsegmentids) -> (output: T)",
    attrs: "T: type in {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64}; Tidx: type in {int32, int64} = int32; Tsegmentids: type in {int32, int64} = int32; sparse_gradient: bool = false",
    doc: "output[i] = the sums of the rows data[indices[j]] with segment_ids[j] = i; the numbers do not fall.",
    shape: sparse_segment_shape,
    gradient: Gradient::Of(|op, grads| sparse_segment_gradient(op, grads, "SparseSegmentSumGrad")),
    kernels: &[Kernel::cpu(|ctx| sparse_segment(ctx, Join::Sum)).on("T", REAL)],
    tolerance: Tolerance::Rounding,
    ..WORDS
};
