//! `SparseSegmentMeanGrad`: the gradient of `SparseSegmentMean`.

use super::segments::Join;
use super::sparse_segments::{sparse_segment_grad, sparse_segment_grad_shape};
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "SparseSegmentMeanGrad(grad: T, indices: Tidx, segment_ids: Tsegmentids, output_dim0: int32) -> (output: T)",
    attrs: "T: type in {bfloat16, half, float, double}; Tidx: type in {int32, int64} = int32; Tsegmentids: type in {int32, int64} = int32",
    doc: "output[indices[j]] = the rows grad[segment_ids[j]], each scaled as SparseSegmentMean scales, added up; output_dim0 rows.",
    shape: sparse_segment_grad_shape,
    kernels: &[Kernel::cpu(|ctx| sparse_segment_grad(ctx, Join::Mean)).on("T", FLOATS)],
    tolerance: Tolerance::Rounding,
    ..WORDS
};
