//! `CTCLoss`: how unlikely labels without alignment are.

use super::ctc::{Scores, log_sum, narrow};
use crate::math::backward::apply;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "CTCLoss(inputs: T, labels_indices: int64, labels_values: int32, sequence_length: int32) -> (loss: T, gradient: T)",
    attrs: "preprocess_collapse_repeated: bool = false; ctc_merge_repeated: bool = true; ignore_longer_outputs_than_inputs: bool = false; T: type in {float, double} = float",
    doc: "For each sequence the negative logarithm of the probability of its labels, over all ways to place them among blanks (the last class), and its gradient by the scores.",
    shape,
    gradient: Gradient::Of(backward),
    kernels: &[Kernel::cpu(compute).on("T", WIDE_FLOATS).heavy()],
    tolerance: Tolerance::Within(1e-4),
    ..WORDS
};

/// The labels of each sequence.
fn labels(ctx: &OpKernelContext, batch: usize, classes: usize) -> Result<Vec<Vec<usize>>> {
    let (indices, values) = (ctx.input(1)?, ctx.input(2)?);
    if indices.rank() != 2 || indices.dims()[1] != 2 {
        return Err(invalid_argument(format!("labels_indices is not a matrix of two columns: {}", indices.shape())));
    }
    if values.rank() != 1 {
        return Err(invalid_argument(format!("labels_values is not a vector: {}", values.shape())));
    }
    if indices.dims()[0] != values.dims()[0] {
        return Err(invalid_argument(format!(
            "labels_indices and labels_values must contain the same number of rows, but saw shapes: {} vs. {}",
            indices.shape(),
            values.shape()
        )));
    }
    let mut rows: Vec<Vec<i32>> = vec![Vec::new(); batch];
    let mut before = [-1, -1];
    for (n, (at, &value)) in indices.as_slice::<i64>()?.chunks_exact(2).zip(values.as_slice::<i32>()?).enumerate() {
        let row = usize::try_from(at[0]).ok().and_then(|b| rows.get_mut(b)).filter(|_| at[1] >= 0);
        let Some(row) = row else {
            return Err(invalid_argument(format!(
                "label SparseTensor is not valid: indices[{n}] = [{},{}] is out of bounds: need 0 <= index < [{batch},...]",
                at[0], at[1]
            )));
        };
        if [at[0], at[1]] <= before {
            return Err(invalid_argument(format!(
                "label SparseTensor is not valid: indices[{n}] = [{},{}] is out of order or repeated",
                at[0], at[1]
            )));
        }
        before = [at[0], at[1]];
        row.push(value);
    }
    let checked = |(b, row): (usize, Vec<i32>)| -> Result<Vec<usize>> {
        if row.is_empty() {
            return Err(invalid_argument(format!("Labels length is zero in batch {b}")));
        }
        let mut kept = Vec::with_capacity(row.len());
        let mut is_over = false;
        for label in row {
            let Ok(label) = usize::try_from(label) else {
                return Err(invalid_argument(format!("All labels must be nonnegative integers, batch: {b} labels: {label}")));
            };
            if label + 1 >= classes {
                is_over = true;
            } else if is_over {
                return Err(invalid_argument(format!(
                    "Saw a non-null label (index >= num_classes - 1) following a null label, batch: {b} num_classes: {classes}"
                )));
            } else {
                kept.push(label);
            }
        }
        Ok(kept)
    };
    rows.into_iter().enumerate().map(checked).collect()
}

/// Loss of one sequence; `log_y[t]` are the logarithms of its probabilities, and `gradient(t, class, value)` is told each derivative.
fn loss(log_y: &[Vec<f64>], labels: &[usize], merge: bool, mut gradient: impl FnMut(usize, usize, f64)) -> f64 {
    const NONE: f64 = f64::NEG_INFINITY;
    let Some(blank) = log_y.first().map(|y| y.len() - 1) else { return if labels.is_empty() { 0.0 } else { f64::INFINITY } };
    // Blanks around all labels.
    let path: Vec<usize> = std::iter::once(blank).chain(labels.iter().flat_map(|&l| [l, blank])).collect();
    let (steps, places) = (log_y.len(), path.len());
    let may_stay = |u: usize| merge || path[u] == blank;
    // From a label to the next without the blank between them, unless they would become one.
    let may_skip = |u: usize| path[u] != blank && !(merge && path[u] == path[u - 2]);
    let mut alpha = vec![vec![NONE; places]; steps];
    alpha[0].iter_mut().zip(&path).take(2).for_each(|(a, &l)| *a = log_y[0][l]);
    for t in 1..steps {
        for u in 0..places {
            let mut sum = if may_stay(u) { alpha[t - 1][u] } else { NONE };
            if u > 0 {
                sum = log_sum(sum, alpha[t - 1][u - 1]);
            }
            if u > 1 && may_skip(u) {
                sum = log_sum(sum, alpha[t - 1][u - 2]);
            }
            alpha[t][u] = sum + log_y[t][path[u]];
        }
    }
    let mut beta = vec![vec![NONE; places]; steps];
    beta[steps - 1].iter_mut().rev().take(2).for_each(|b| *b = 0.0);
    for t in (0..steps - 1).rev() {
        let after = |u: usize| beta[t + 1][u] + log_y[t + 1][path[u]];
        let row = (0..places).map(|u| {
            let mut sum = if may_stay(u) { after(u) } else { NONE };
            if u + 1 < places {
                sum = log_sum(sum, after(u + 1));
            }
            if u + 2 < places && may_skip(u + 2) {
                sum = log_sum(sum, after(u + 2));
            }
            sum
        });
        let row: Vec<f64> = row.collect();
        beta[t] = row;
    }
    let log_p = (0..places).fold(NONE, |sum, u| log_sum(sum, alpha[0][u] + beta[0][u]));
    for (t, log_y) in log_y.iter().enumerate() {
        let mut of_class = vec![NONE; log_y.len()];
        for (u, &l) in path.iter().enumerate() {
            of_class[l] = log_sum(of_class[l], alpha[t][u] + beta[t][u]);
        }
        for (l, (y, sum)) in log_y.iter().zip(of_class).enumerate() {
            // Where no path is possible nothing pulls at the probabilities.
            gradient(t, l, y.exp() - if log_p == NONE { 0.0 } else { (sum - log_p).exp() });
        }
    }
    -log_p
}

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let scores = Scores::of(ctx)?;
    let attrs = &ctx.node.attrs;
    let (collapse, merge) = (attrs.bool("preprocess_collapse_repeated")?, attrs.bool("ctc_merge_repeated")?);
    let ignore_longer = attrs.bool("ignore_longer_outputs_than_inputs")?;
    if scores.time == 0 {
        return Err(invalid_argument("Max time or first dimension of input cannot be 0."));
    }
    let lengths = scores.lengths(ctx, 3, true)?;
    if scores.batch == 0 {
        return Err(invalid_argument("batch_size must not be 0"));
    }
    if scores.classes == 0 {
        return Err(invalid_argument("num_classes must not be 0"));
    }
    let mut labels = labels(ctx, scores.batch, scores.classes)?;
    if collapse {
        labels.iter_mut().for_each(Vec::dedup);
    }
    let dtype = ctx.input(0)?.dtype();
    let (batch, classes) = (scores.batch, scores.classes);
    let mut losses = vec![0f64; batch];
    let mut gradient = crate::sparse::coo::filled(scores.time * batch * classes, 0f64)?;
    for (b, labels) in labels.iter().enumerate() {
        if labels.len() > lengths[b] {
            if ignore_longer {
                continue;
            }
            return Err(invalid_argument(format!(
                "Not enough time for target transition sequence (required: {}, available: {}){b}You can turn this error into a warning by using the flag ignore_longer_outputs_than_inputs",
                labels.len(),
                lengths[b]
            )));
        }
        let log_y: Vec<Vec<f64>> = (0..lengths[b]).map(|t| scores.log_probabilities(t, b)).collect();
        losses[b] = loss(&log_y, labels, merge, |t, l, d| gradient[(t * batch + b) * classes + l] = d);
    }
    ctx.set_output(0, narrow(dtype, &[batch], &losses)?);
    ctx.set_output(1, narrow(dtype, &[scores.time, batch, classes], &gradient)?);
    Ok(())
}

fn shape(c: &mut ShapeContext) -> Result<()> {
    let x = c.with_rank(0, 3)?;
    c.with_rank(1, 2)?;
    c.with_rank(2, 1)?;
    let lengths = c.with_rank(3, 1)?;
    let batch = PartialShape::new(&[x.dim(1)]).merge(&lengths)?;
    c.set_output(0, batch);
    c.set_output(1, x);
    Ok(())
}

/// The kernel has made it: it is the second output, times what flows back to each loss.
fn backward(op: &Operation, grads: &OutGrads) -> Result<Vec<Option<Grad>>> {
    let graph = op.input(0).graph().clone();
    let axes = graph.constant_vector(&[1i32, -1, 1]);
    let each = apply("Reshape", &[&grads.dense(0), &axes]);
    Ok(vec![Some(apply("Mul", &[&op.output(1), &each]).into()), None, None, None])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::check_gradient_through;

    #[test]
    fn the_gradient_agrees_with_differences() {
        let scores: Vec<f64> = (0..40).map(|i| (f64::from(i) * 0.618).fract() * 3.0 - 1.5).collect();
        check_gradient_through(&[tensor(&[5, 2, 4], &scores)], |graph, inputs| {
            let labels = [tensor(&[3, 2], &[0i64, 0, 0, 1, 1, 0]), tensor(&[3], &[1i32, 1, 0]), tensor(&[2], &[5i32, 3])];
            let labels = labels.map(|t| graph.constant_tensor(t));
            let node = graph.op("CTCLoss").input(inputs[0].clone()).inputs(labels).build();
            graph.op("Identity").input(node.output(0)).build()
        });
    }
}
