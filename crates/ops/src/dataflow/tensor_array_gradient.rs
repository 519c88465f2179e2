//! Gradients of the `TensorArray…V3` ops. The gradients of an array's elements lie in an array of their own, one for each call of
//! `gradients` (its name is the `source`), so that gradients of several readers of one element add up there.

use ferroflow_graph::{Grad, Operation, OutGrads, Output};
use ferroflow_tensor::Result;

/// The array of gradients that belongs to the array at input 0 of `op`, and its flow, ordered after `flow`.
fn gradient_array(op: &Operation, source: &str, flow: Output) -> (Output, Output) {
    let graph = op.graph();
    let array = graph.op("TensorArrayGradV3").inputs([op.input(0), flow.clone()]).attr("source", source).build();
    let flow = graph.op("Identity").input(flow).control_input(&array).output();
    (array.output(0), flow)
}

/// The name of the call of `gradients` that a gradient was made by: its outermost scopes up to the last one of that name.
fn source(gradient: &Output) -> String {
    let name = gradient.op().name();
    let scopes: Vec<&str> = name.split('/').collect();
    match scopes.iter().rposition(|s| s.starts_with("gradients")) {
        Some(last) => scopes[..=last].join("/"),
        None => "gradients".to_owned(),
    }
}

/// Reading: the gradient is written where the value was read.
///
/// Errors: none.
pub(super) fn of_read(op: &Operation, grads: &OutGrads) -> Result<Vec<Option<Grad>>> {
    let grad = grads.dense(0);
    let (array, flow) = gradient_array(op, &source(&grad), op.input(2));
    let flow = op.graph().op("TensorArrayWriteV3").inputs([array, op.input(1), grad, flow]).output();
    Ok(vec![None, None, Some(flow.into())])
}

/// Writing: the gradient is read where the value was written.
///
/// Errors: none.
pub(super) fn of_write(op: &Operation, grads: &OutGrads) -> Result<Vec<Option<Grad>>> {
    let flow = grads.dense(0);
    let (array, ordered) = gradient_array(op, &source(&flow), after(op, &flow));
    let dtype = op.with_attrs(|a| a.dtype("T"))?;
    let grad = op.graph().op("TensorArrayReadV3").inputs([array, op.input(1), ordered]).attr("dtype", dtype).output();
    Ok(vec![None, None, Some(grad.into()), Some(flow.into())])
}

/// Gathering: the gradient's rows are scattered.
///
/// Errors: none.
pub(super) fn of_gather(op: &Operation, grads: &OutGrads) -> Result<Vec<Option<Grad>>> {
    let grad = grads.dense(0);
    let (array, flow) = gradient_array(op, &source(&grad), op.input(2));
    let flow = op.graph().op("TensorArrayScatterV3").inputs([array, op.input(1), grad, flow]).output();
    Ok(vec![None, None, Some(flow.into())])
}

/// Scattering: the gradient's rows are gathered.
///
/// Errors: none.
pub(super) fn of_scatter(op: &Operation, grads: &OutGrads) -> Result<Vec<Option<Grad>>> {
    let flow = grads.dense(0);
    let (array, ordered) = gradient_array(op, &source(&flow), after(op, &flow));
    let dtype = op.with_attrs(|a| a.dtype("T"))?;
    let grad = op.graph().op("TensorArrayGatherV3").inputs([array, op.input(1), ordered]).attr("dtype", dtype).output();
    Ok(vec![None, None, Some(grad.into()), Some(flow.into())])
}

/// Joining: the gradient is split at the lengths of the elements.
///
/// Errors: none.
pub(super) fn of_concat(op: &Operation, grads: &OutGrads) -> Result<Vec<Option<Grad>>> {
    let grad = grads.dense(0);
    let (array, flow) = gradient_array(op, &source(&grad), op.input(1));
    let flow = op.graph().op("TensorArraySplitV3").inputs([array, grad, op.output(1), flow]).output();
    Ok(vec![None, Some(flow.into())])
}

/// Splitting: the gradients are joined.
///
/// Errors: none.
pub(super) fn of_split(op: &Operation, grads: &OutGrads) -> Result<Vec<Option<Grad>>> {
    let flow = grads.dense(0);
    let (array, ordered) = gradient_array(op, &source(&flow), after(op, &flow));
    let dtype = op.with_attrs(|a| a.dtype("T"))?;
    let grad = op.graph().op("TensorArrayConcatV3").inputs([array, ordered]).attr("dtype", dtype).output();
    Ok(vec![None, Some(grad.into()), None, Some(flow.into())])
}

/// The flow of the gradient, ordered after the forward op.
fn after(op: &Operation, flow: &Output) -> Output {
    op.graph().op("Identity").input(flow.clone()).control_input(op).output()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Evaluator, tensor};
    use ferroflow_graph::Graph;
    use ferroflow_graph::op::Gradient;
    use ferroflow_tensor::DType;

    fn array(graph: &Graph) -> (Output, Output) {
        let array =
            graph.op("TensorArrayV3").input(graph.constant(2i32)).attr("dtype", DType::Double).attr("clear_after_read", false).build();
        (array.output(0), array.output(1))
    }

    fn gradient_of(op: &Operation, grad: Output) -> Vec<Option<Grad>> {
        let grads: Vec<Option<Grad>> = (0..op.num_outputs()).map(|i| (i == 0).then(|| Grad::Dense(grad.clone()))).collect();
        match op.node().info.op.spec.gradient {
            Gradient::Of(f) => f(op, &OutGrads::new(op, &grads)).unwrap(),
            _ => panic!("no gradient"),
        }
    }

    fn dense(grad: &Option<Grad>) -> Output {
        match grad {
            Some(Grad::Dense(g)) => g.clone(),
            _ => panic!("no tensor"),
        }
    }

    #[test]
    fn what_was_scattered_and_gathered_gets_its_rows_of_the_gradient() {
        let graph = crate::graph();
        let (handle, flow) = array(&graph);
        let value = graph.constant_tensor(tensor(&[2, 1], &[1f64, 2.0]));
        let scatter = graph.op("TensorArrayScatterV3").inputs([handle.clone(), graph.constant_vector(&[0i32, 1]), value, flow]).build();
        let indices = graph.constant_vector(&[1i32, 0]);
        let gather = graph.op("TensorArrayGatherV3").inputs([handle, indices, scatter.output(0)]).attr("dtype", DType::Double).build();
        let loss_gradient = graph.constant_tensor(tensor(&[2, 1], &[10f64, 20.0]));
        let flow_gradient = dense(&gradient_of(&gather, loss_gradient)[2]);
        let value_gradient = dense(&gradient_of(&scatter, flow_gradient)[2]);
        let got = Evaluator::new(&graph).run(&[], &[value_gradient]).unwrap();
        assert_eq!(got[0].as_slice::<f64>().unwrap(), [20.0, 10.0]);
    }

    #[test]
    fn what_was_written_and_read_twice_gets_both_gradients() {
        let graph = crate::graph();
        let (handle, flow) = array(&graph);
        let value = graph.constant_tensor(tensor(&[1], &[5f64]));
        let index = graph.constant(1i32);
        let write = graph.op("TensorArrayWriteV3").inputs([handle.clone(), index.clone(), value, flow]).build();
        let read =
            || graph.op("TensorArrayReadV3").inputs([handle.clone(), index.clone(), write.output(0)]).attr("dtype", DType::Double).build();
        let grad = |x: f64| graph.constant_tensor(tensor(&[1], &[x]));
        let flows = [dense(&gradient_of(&read(), grad(3.0))[2]), dense(&gradient_of(&read(), grad(4.0))[2])];
        let flow = graph.op("AddN").input_list(flows).output();
        let value_gradient = dense(&gradient_of(&write, flow)[2]);
        let got = Evaluator::new(&graph).run(&[], &[value_gradient]).unwrap();
        assert_eq!(got[0].as_slice::<f64>().unwrap(), [7.0]);
    }

    #[test]
    fn what_was_split_and_joined_gets_the_whole_gradient() {
        let graph = crate::graph();
        let (handle, flow) = array(&graph);
        let value = graph.constant_tensor(tensor(&[3], &[1f64, 2.0, 3.0]));
        let lengths = graph.constant_vector(&[1i64, 2]);
        let split = graph.op("TensorArraySplitV3").inputs([handle.clone(), value, lengths, flow]).build();
        let concat = graph.op("TensorArrayConcatV3").inputs([handle, split.output(0)]).attr("dtype", DType::Double).build();
        let flow_gradient = dense(&gradient_of(&concat, graph.constant_tensor(tensor(&[3], &[7f64, 8.0, 9.0])))[1]);
        let value_gradient = dense(&gradient_of(&split, flow_gradient)[1]);
        let got = Evaluator::new(&graph).run(&[], &[value_gradient]).unwrap();
        assert_eq!(got[0].as_slice::<f64>().unwrap(), [7.0, 8.0, 9.0]);
    }

    #[test]
    fn each_call_of_gradients_has_arrays_of_its_own() {
        let graph = crate::graph();
        let a = graph.op("Const").name("train/gradients_1/x/grad").attr("dtype", DType::Float).attr("value", tensor(&[], &[1f32])).output();
        assert_eq!(source(&a), "train/gradients_1");
        assert_eq!(source(&graph.constant(1f32)), "gradients");
    }
}
