//! `TensorScatterMin`: a tensor with slices changed.

use super::tensor_scatter;
use crate::prelude::*;
use crate::state::element_update::Update;

pub const OP: OpSpec = OpSpec {
    signature: "TensorScatterMin(tensor: T, indices: Tindices, updates: T) -> (output: T)",
    attrs: "T: type; Tindices: type in {int32, int64}; bad_indices_policy: string = \"\"",
    doc: "`tensor`, where the slices that `indices` name (as in `GatherNd`) are limited from above by `updates`.",
    shape: shape::unchanged,
    kernels: &[Kernel::cpu(|ctx| tensor_scatter::compute(ctx, Update::Min)).on("T", REAL)],
    ..WORDS
};
