//! `FractionalAvgPool`: the mean of regions of several sizes.

use super::fractional::{Pool, pooled, shapes};
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "FractionalAvgPool(value: T) -> (output: T, row_pooling_sequence: int64, col_pooling_sequence: int64)",
    attrs: "pooling_ratio: list(float) >= 4; pseudo_random: bool = false; overlapping: bool = false; deterministic: bool = false; seed: int = 0; seed2: int = 0; T: type in {float, double, int32, int64}",
    doc: "The means of regions of rows and columns whose sizes differ by 1, so that their numbers are those of the images divided by `pooling_ratio`; and where the regions begin.",
    shape: shapes,
    gradient: Gradient::Of(backward),
    kernels: &[Kernel::cpu(|ctx| pooled(ctx, "average", Pool::Mean)).on("T", &[DType::Float, DType::Double, DType::Int32, DType::Int64])],
    tolerance: Tolerance::Rounding,
    ..WORDS
};

fn backward(op: &Operation, grads: &OutGrads) -> Result<Vec<Option<Grad>>> {
    let overlapping = op.with_attrs(|a| a.bool("overlapping"))?;
    let x = op.input(0);
    let shape = x.graph().op("Shape").input(x.clone()).attr("out_type", DType::Int64).output();
    let node = x.graph().op("FractionalAvgPoolGrad").inputs([shape, grads.dense(0), op.output(1), op.output(2)]);
    Ok(vec![Some(node.attr("overlapping", overlapping).output().into())])
}
