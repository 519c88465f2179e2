//! `SparseSegmentSumGradV2`: the gradient of `SparseSegmentSum`, of the rows only that have one.

use super::segments::Join;
use super::sparse_segments::{compact_segment_grad, compact_segment_grad_shape};
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "SparseSegmentSumGradV2(grad: T, indices: Tidx, segment_ids: Tsegmentids, dense_output_dim0: int32) -> (output: T, sorted_unique_indices: Tidx)",
    attrs: "T: type in {bfloat16, half, float, double}; Tidx: type in {int32, int64} = int32; Tsegmentids: type in {int32, int64} = int32",
    doc: "As `SparseSegmentSumGrad`, without rows that no index names; and the numbers of the others, ascending.",
    shape: compact_segment_grad_shape,
    kernels: &[Kernel::cpu(|ctx| compact_segment_grad(ctx, Join::Sum)).on("T", FLOATS)],
    tolerance: Tolerance::Rounding,
    ..WORDS
};
