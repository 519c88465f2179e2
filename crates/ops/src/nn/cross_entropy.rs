//! What the two cross entropies share: how their gradients reach the features (TF: `_SoftmaxCrossEntropyWithLogitsGrad`).

use crate::math::backward::apply;
use crate::prelude::*;

/// The gradient of the features, in the shape of the backprop output: that of the loss, and, where the backprop output itself is
/// differentiated, that of the softmax.
pub(crate) fn features_gradient(op: &Operation, grads: &OutGrads) -> Output {
    let graph = op.graph();
    let by_row = apply("ExpandDims", &[&grads.dense(0), &graph.constant(-1i32)]);
    let dx = by_row * op.output(1);
    let Some(second) = grads.get(1) else { return dx };
    let second = second.to_dense();
    let softmax = apply("Softmax", &[&op.input(0)]);
    let total = graph.op("Sum").input(&second * &softmax).input(graph.constant_vector(&[-1i32])).attr("keep_dims", true).output();
    dx + (second - total) * softmax
}
