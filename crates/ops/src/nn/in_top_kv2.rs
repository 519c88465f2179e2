//! `InTopKV2`: whether the wanted class is among the k most likely, k being an argument.

use super::top_classes::{in_top_k, in_top_k_shape};
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "InTopKV2(predictions: float, targets: T, k: T) -> (precision: bool)",
    attrs: "T: type in {int32, int64} = int32",
    doc: "precision[b] = whether predictions[b, targets[b]] is among the k largest of its row; ties count.",
    shape: in_top_k_shape,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(compute)],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let k = ctx.input(2)?;
    if k.rank() != 0 {
        return Err(invalid_argument(format!("k must be 0-D, got shape {}", k.shape())));
    }
    let k = k.to_i64()?;
    in_top_k(ctx, k)
}
