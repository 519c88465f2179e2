//! `TensorScatterSub`: a tensor with slices changed.

use super::tensor_scatter;
use crate::prelude::*;
use crate::state::element_update::Update;

pub const OP: OpSpec = OpSpec {
    signature: "TensorScatterSub(tensor: T, indices: Tindices, updates: T) -> (output: T)",
    attrs: "T: type; Tindices: type in {int32, int64}; bad_indices_policy: string = \"\"",
    doc: "`tensor`, where the slices that `indices` name (as in `GatherNd`) are decreased by `updates`.",
    shape: shape::unchanged,
    gradient: Gradient::Of(gradient),
    kernels: &[Kernel::cpu(|ctx| tensor_scatter::compute(ctx, Update::Sub)).on("T", NUMERIC)],
    ..WORDS
};

fn gradient(op: &Operation, grads: &OutGrads) -> Result<Vec<Option<Grad>>> {
    let g = op.graph();
    let picked = g.op("GatherNd").inputs([grads.dense(0), op.input(1)]).output();
    Ok(vec![Some(grads.dense(0).into()), None, Some(g.op("Neg").input(picked).output().into())])
}
