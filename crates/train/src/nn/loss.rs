//! Losses and the reductions that turn them into one number.

use ferroflow_graph::{Graph, Output};
use ferroflow_tensor::DType;

/// Indices of all axes of `x`.
fn all_axes(g: &Graph, x: &Output) -> Output {
    match x.shape().rank() {
        Some(rank) => g.constant_vector(&(0..rank as i32).collect::<Vec<i32>>()),
        None => {
            let rank = g.op("Rank").input(x).output();
            g.op("Range").input(g.constant(0i32)).input(rank).input(g.constant(1i32)).output()
        }
    }
}

/// The mean of all elements, a scalar.
#[track_caller]
pub fn mean(x: impl Into<Output>) -> Output {
    let x = x.into();
    let g = x.graph();
    g.op("Mean").input(&x).input(all_axes(g, &x)).output()
}

/// The sum of all elements, a scalar.
#[track_caller]
pub fn sum(x: impl Into<Output>) -> Output {
    let x = x.into();
    let g = x.graph();
    g.op("Sum").input(&x).input(all_axes(g, &x)).output()
}

/// Mean of the squared differences, a scalar.
#[track_caller]
pub fn mean_squared_error(labels: impl Into<Output>, predictions: impl Into<Output>) -> Output {
    let (labels, predictions) = (labels.into(), predictions.into());
    mean(labels.graph().op("SquaredDifference").input(&predictions).input(&labels).output())
}

/// Cross entropy of softmax(logits) with labels that are probabilities, both `[batch, classes]`; the result is `[batch]`.
#[track_caller]
pub fn softmax_cross_entropy(logits: impl Into<Output>, labels: impl Into<Output>) -> Output {
    let logits = logits.into();
    logits.graph().op("SoftmaxCrossEntropyWithLogits").input(&logits).input(labels).output()
}

/// Cross entropy of softmax(logits) `[batch, classes]` with labels that are class numbers (int32 or int64) `[batch]`; the result is `[batch]`.
#[track_caller]
pub fn sparse_softmax_cross_entropy(logits: impl Into<Output>, labels: impl Into<Output>) -> Output {
    let logits = logits.into();
    logits.graph().op("SparseSoftmaxCrossEntropyWithLogits").input(&logits).input(labels).output()
}

/// Cross entropy of sigmoid(logits) with labels in [0, 1], element by element, without overflow for large logits.
#[track_caller]
pub fn sigmoid_cross_entropy(logits: impl Into<Output>, labels: impl Into<Output>) -> Output {
    let (x, z) = (logits.into(), labels.into());
    let g = x.graph();
    // max(x, 0) − x·z + log(1 + exp(−|x|))
    let positive = g.op("Relu").input(&x).output();
    let tail = g.op("Exp").input(-g.op("Abs").input(&x).output()).output();
    let log = g.op("Log1p").input(tail).output();
    &(&positive - &(&x * &z)) + &log
}

/// Share of rows whose largest logit is at the label's class; labels are class numbers (int32 or int64).
#[track_caller]
pub fn accuracy(logits: impl Into<Output>, labels: impl Into<Output>) -> Output {
    let (logits, labels) = (logits.into(), labels.into());
    let g = logits.graph();
    let predicted = g.op("ArgMax").input(&logits).input(g.constant(1i32)).attr("output_type", labels.dtype()).output();
    let right = g.op("Equal").input(&predicted).input(&labels).output();
    mean(g.op("Cast").input(right).attr("DstT", DType::Float).output())
}
