//! `TensorScatterUpdate`: a tensor with slices changed.

use super::tensor_scatter;
use crate::prelude::*;
use crate::state::element_update::Update;

pub const OP: OpSpec = OpSpec {
    signature: "TensorScatterUpdate(tensor: T, indices: Tindices, updates: T) -> (output: T)",
    attrs: "T: type; Tindices: type in {int16, int32, int64, uint16}; bad_indices_policy: string = \"\"",
    doc: "`tensor`, where the slices that `indices` name (as in `GatherNd`) are replaced by `updates`.",
    shape: shape::unchanged,
    kernels: &[Kernel::cpu(|ctx| tensor_scatter::compute(ctx, Update::Assign))],
    ..WORDS
};
