//! `InTopK`: whether the wanted class is among the k most likely.

use super::top_classes::{in_top_k, in_top_k_shape};
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "InTopK(predictions: float, targets: T) -> (precision: bool)",
    attrs: "k: int; T: type in {int32, int64} = int32",
    doc: "precision[b] = whether predictions[b, targets[b]] is among the k largest of its row; ties count.",
    shape: in_top_k_shape,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(|ctx| in_top_k(ctx, ctx.node.attrs.int("k")?))],
    ..WORDS
};
