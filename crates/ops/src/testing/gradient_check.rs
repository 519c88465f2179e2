//! `check_gradient`: an op's gradient against central differences.

use super::Evaluator;
use ferroflow_graph::op::Gradient;
use ferroflow_graph::{Grad, Graph, Operation, OutGrads, Output, gradients};
use ferroflow_tensor::{DType, PartialShape, Result, Tensor};

/// Half the distance of the two points at which a function is looked at.
const STEP: f64 = 1e-5;
/// Largest difference between gradient and differences, absolute and relative.
const TOLERANCE: f64 = 1e-5;

/// Checks the gradient of the op that `build` makes of these inputs, with respect to each input of type double. The function that is
/// differentiated is a fixed weighted sum of all outputs of type double. Checked twice: with and without the graph knowing the inputs' shapes.
///
/// # Panics
/// If the gradient differs from the differences, or something fails.
pub fn check_gradient(inputs: &[Tensor], build: impl Fn(&Graph, &[Output]) -> Operation) {
    for known in [true, false] {
        if let Err(e) = check(inputs, &build, known, gradient) {
            panic!("shapes known: {known}: {e}");
        }
    }
}

/// As [`check_gradient`], through all operations between the inputs and the one that `build` returns: for ops of which only something
/// that is made of their outputs can be checked.
///
/// # Panics
/// As [`check_gradient`].
pub fn check_gradient_through(inputs: &[Tensor], build: impl Fn(&Graph, &[Output]) -> Operation) {
    for known in [true, false] {
        if let Err(e) = check(inputs, &build, known, gradient_through) {
            panic!("shapes known: {known}: {e}");
        }
    }
}

/// Makes the gradients of the inputs: of the graph, the operation, the placeholders, their values and the weights of the outputs.
type Differentiate = fn(&Graph, &Operation, &[Output], &[Tensor], &[Tensor]) -> Result<Vec<Vec<f64>>>;

fn check(inputs: &[Tensor], build: &dyn Fn(&Graph, &[Output]) -> Operation, known: bool, gradient: Differentiate) -> Result<()> {
    let graph = crate::graph();
    let shape = |t: &Tensor| if known { t.shape().into() } else { PartialShape::unknown() };
    let placeholders: Vec<Output> = inputs.iter().map(|t| graph.placeholder(t.dtype(), shape(t))).collect();
    let op = build(&graph, &placeholders);
    graph.check()?;
    let outputs: Vec<Output> = op.outputs().into_iter().filter(|o| o.dtype() == DType::Double).collect();
    let mut evaluator = Evaluator::new(&graph);
    let mut values_at = |inputs: &[Tensor]| {
        let feeds: Vec<(&Output, Tensor)> = placeholders.iter().zip(inputs.iter().cloned()).collect();
        evaluator.run(&feeds, &outputs)
    };
    let weights: Vec<Tensor> = values_at(inputs)?.iter().map(weights_like).collect::<Result<_>>()?;
    let mut loss_at = |inputs: &[Tensor]| -> Result<f64> {
        let mut sum = 0.0;
        for (value, weight) in values_at(inputs)?.iter().zip(&weights) {
            sum += value.as_slice::<f64>()?.iter().zip(weight.as_slice::<f64>()?).map(|(v, w)| v * w).sum::<f64>();
        }
        Ok(sum)
    };
    let mut expected: Vec<Vec<f64>> = Vec::new();
    for (i, input) in inputs.iter().enumerate() {
        let mut slopes = Vec::new();
        if input.dtype() == DType::Double {
            for j in 0..input.num_elements() {
                let moved = |by: f64| -> Result<Vec<Tensor>> {
                    let mut all = inputs.to_vec();
                    all[i].make_mut::<f64>()?[j] += by;
                    Ok(all)
                };
                slopes.push((loss_at(&moved(STEP)?)? - loss_at(&moved(-STEP)?)?) / (2.0 * STEP));
            }
        }
        expected.push(slopes);
    }
    let got = gradient(&graph, &op, &placeholders, inputs, &weights)?;
    for (i, (expected, got)) in expected.iter().zip(&got).enumerate() {
        for (j, (e, g)) in expected.iter().zip(got).enumerate() {
            assert!((e - g).abs() <= TOLERANCE * (1.0 + e.abs()), "input {i}, element {j}: gradient {g}, differences {e}");
        }
    }
    Ok(())
}

/// What the op's gradient function says, per input; zeros where it says `None`.
fn gradient(graph: &Graph, op: &Operation, placeholders: &[Output], inputs: &[Tensor], weights: &[Tensor]) -> Result<Vec<Vec<f64>>> {
    let mut weights = weights.iter();
    let grads: Vec<Option<Grad>> = op
        .outputs()
        .iter()
        .map(|o| if o.dtype() == DType::Double { weights.next().map(|w| Grad::Dense(graph.constant_tensor(w.clone()))) } else { None })
        .collect();
    let grads = match op.node().info.op.spec.gradient {
        Gradient::Of(function) => function(op, &OutGrads::new(op, &grads))?,
        Gradient::Zero => vec![None; op.num_inputs()],
        Gradient::Undefined => panic!("{op:?} has no gradient"),
    };
    assert_eq!(grads.len(), op.num_inputs(), "a gradient has one entry per input");
    graph.check()?;
    let feeds: Vec<(&Output, Tensor)> = placeholders.iter().zip(inputs.iter().cloned()).collect();
    let mut evaluator = Evaluator::new(graph);
    let mut all = vec![Vec::new(); inputs.len()];
    for (k, placeholder) in placeholders.iter().enumerate() {
        let mut sum = vec![0f64; inputs[k].num_elements()];
        if inputs[k].dtype() != DType::Double {
            continue;
        }
        for (i, grad) in grads.iter().enumerate() {
            if op.input(i) != *placeholder {
                continue;
            }
            match grad {
                None => {}
                Some(Grad::Dense(g)) => {
                    let value = evaluator.run(&feeds, std::slice::from_ref(g))?.remove(0);
                    assert_eq!(value.shape(), inputs[k].shape(), "the gradient of input {i} has the input's shape");
                    sum.iter_mut().zip(value.as_slice::<f64>()?).for_each(|(s, v)| *s += v);
                }
                Some(Grad::Slices { values, indices, dense_shape }) => {
                    let parts = evaluator.run(&feeds, &[values.clone(), indices.clone(), dense_shape.clone()])?;
                    assert_eq!(parts[2].to_i64s()?.as_slice(), inputs[k].dims(), "the rows are rows of the input");
                    let values = parts[0].as_slice::<f64>()?;
                    let rows = parts[1].to_i64s()?;
                    let width = values.len().checked_div(rows.len()).unwrap_or(0);
                    for (n, &row) in rows.iter().enumerate() {
                        for c in 0..width {
                            sum[row as usize * width + c] += values[n * width + c];
                        }
                    }
                }
            }
        }
        all[k] = sum;
    }
    Ok(all)
}

/// What the gradient functions of all operations on the way say, per input.
fn gradient_through(
    graph: &Graph,
    op: &Operation,
    placeholders: &[Output],
    inputs: &[Tensor],
    weights: &[Tensor],
) -> Result<Vec<Vec<f64>>> {
    let ys: Vec<Output> = op.outputs().into_iter().filter(|o| o.dtype() == DType::Double).collect();
    let grad_ys: Vec<Output> = weights.iter().map(|w| graph.constant_tensor(w.clone())).collect();
    let grads = gradients(&ys, placeholders, Some(&grad_ys))?;
    let feeds: Vec<(&Output, Tensor)> = placeholders.iter().zip(inputs.iter().cloned()).collect();
    let mut evaluator = Evaluator::new(graph);
    let mut all = Vec::new();
    for (grad, input) in grads.iter().zip(inputs) {
        let Some(grad) = grad else {
            all.push(vec![0.0; input.num_elements()]);
            continue;
        };
        let value = evaluator.run(&feeds, &[grad.to_dense()])?.remove(0);
        assert_eq!(value.shape(), input.shape(), "the gradient of an input has the input's shape");
        all.push(value.as_slice::<f64>()?.to_vec());
    }
    Ok(all)
}

/// Distinct weights of both signs.
fn weights_like(t: &Tensor) -> Result<Tensor> {
    let weights: Vec<f64> = (0..t.num_elements()).map(|i| 0.7 + 0.3 * i as f64 * if i % 2 == 0 { 1.0 } else { -1.0 }).collect();
    Tensor::from_slice(t.shape().clone(), &weights)
}
