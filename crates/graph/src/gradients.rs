//! The gradient driver: walks a graph backwards and lets each op's gradient function build what flows back (TF: `tf.gradients`).
//!
//! Gradients with respect to a variable are asked for with its reference (`VariableV2`) or handle (`VarHandleOp`) output: what flows
//! back through its reads adds up there. Loops of `Enter` and `NextIteration` are not differentiated.

use crate::builder::{Graph, Operation, Output};
use crate::gradient::{Grad, OutGrads};
use crate::node::{Endpoint, NodeGraph, NodeId};
use crate::op::Gradient;
use ferroflow_tensor::error::{internal, invalid_argument, unimplemented};
use ferroflow_tensor::{DType, Result};
use std::collections::{HashMap, VecDeque};

/// What [`gradients_with`] may be told.
#[derive(Clone, Debug, Default)]
pub struct GradientOptions {
    /// Place what an op's gradient needs with the op (TF: `colocate_gradients_with_ops`); otherwise the device scopes in force decide.
    pub colocate_with_ops: bool,
    /// Outputs to be taken for constants: nothing flows back through them (TF: `stop_gradients`).
    pub stop_gradients: Vec<Output>,
    /// The name scope of what is built; empty means `gradients`.
    pub name: String,
}

/// Builds the gradients of the sum of `ys` with respect to each of `xs`; `None` where `ys` do not depend on it. `grad_ys` are the
/// gradients with respect to `ys`, by default ones.
///
/// Errors: `Unimplemented` naming the op that has no gradient; `InvalidArgument` for ys that are no floats, for outputs of different
/// graphs, or for gradients of wrong shape; the graph's first error.
pub fn gradients(ys: &[Output], xs: &[Output], grad_ys: Option<&[Output]>) -> Result<Vec<Option<Grad>>> {
    gradients_with(ys, xs, grad_ys, &GradientOptions::default())
}

/// As [`gradients`], with options.
///
/// Errors: as [`gradients`].
pub fn gradients_with(ys: &[Output], xs: &[Output], grad_ys: Option<&[Output]>, options: &GradientOptions) -> Result<Vec<Option<Grad>>> {
    let Some(graph) = ys.first().map(|y| y.graph().clone()) else {
        return Err(invalid_argument("gradients of nothing were asked for"));
    };
    graph.check()?;
    let all = ys.iter().chain(xs).chain(grad_ys.unwrap_or_default()).chain(&options.stop_gradients);
    for o in all {
        if !o.graph().same(&graph) {
            return Err(invalid_argument(format!("{o:?} is of another graph than the other outputs of gradients")));
        }
        if o.index() >= o.op().num_outputs() {
            return Err(invalid_argument(format!("{} has no output {}", o.op().name(), o.index())));
        }
    }
    if grad_ys.is_some_and(|g| g.len() != ys.len()) {
        return Err(invalid_argument("there must be as many grad_ys as ys"));
    }
    let name = if options.name.is_empty() { "gradients" } else { &options.name };
    let result = graph.name_scope(name, || Backward::new(&graph, ys, xs, options)?.run(ys, xs, grad_ys))?;
    graph.check()?;
    Ok(result)
}

/// Whether gradients flow through values of this type (TF: `IsTrainable`).
fn is_trainable(dtype: DType) -> bool {
    dtype.is_floating() || dtype.is_complex() || matches!(dtype, DType::Resource | DType::Variant)
}

/// Whether the gradient has the type and shape of the value itself: not so for handles.
fn is_plain(dtype: DType) -> bool {
    dtype.is_floating() || dtype.is_complex()
}

struct Backward<'a> {
    graph: &'a Graph,
    options: &'a GradientOptions,
    /// By node: how many edges to nodes on the way are still to bring something; `None` for nodes that are not on the way.
    pending: Vec<Option<u32>>,
    /// What has come so far, by output.
    grads: HashMap<Endpoint, Vec<Grad>>,
}

impl<'a> Backward<'a> {
    fn new(graph: &'a Graph, ys: &[Output], xs: &[Output], options: &'a GradientOptions) -> Result<Backward<'a>> {
        let pending = graph.with_nodes(|nodes| on_the_way(nodes, ys, xs, &options.stop_gradients))?;
        Ok(Backward { graph, options, pending, grads: HashMap::new() })
    }

    fn run(mut self, ys: &[Output], xs: &[Output], grad_ys: Option<&[Output]>) -> Result<Vec<Option<Grad>>> {
        for (i, y) in ys.iter().enumerate() {
            let given = grad_ys.and_then(|g| g.get(i));
            let grad = self.initial(i, y, given)?;
            self.grads.entry(y.endpoint()).or_default().push(Grad::Dense(grad));
        }
        let mut ready: VecDeque<NodeId> = VecDeque::new();
        for y in ys {
            let id = y.op().id();
            if self.pending[id.index()] == Some(0) && !ready.contains(&id) {
                ready.push_back(id);
            }
        }
        while let Some(id) = ready.pop_front() {
            let op = self.graph.operation_at(id);
            let back = self.through(&op)?;
            let inputs: Vec<Endpoint> = self.graph.with_nodes(|n| n.node(id).inputs.clone());
            for (input, grad) in inputs.iter().zip(back) {
                // An input that no x reaches needs no gradient, whatever the function has built.
                let Some(Some(pending)) = self.pending.get_mut(input.node.index()) else { continue };
                *pending = pending.saturating_sub(1);
                if *pending == 0 {
                    ready.push_back(input.node);
                }
                if let Some(grad) = grad {
                    self.grads.entry(*input).or_default().push(grad);
                }
            }
        }
        xs.iter().map(|x| self.sum(x.endpoint())).collect()
    }

    /// What flows into `ys[i]`.
    fn initial(&self, i: usize, y: &Output, given: Option<&Output>) -> Result<Output> {
        let dtype = y.dtype();
        if let Some(g) = given {
            if g.dtype() != dtype {
                return Err(invalid_argument(format!("grad_ys[{i}] is {}, but ys[{i}] is {dtype}", g.dtype())));
            }
            y.shape().merge(&g.shape()).map_err(|e| e.context(format_args!("grad_ys[{i}]")))?;
            return Ok(g.clone());
        }
        if !is_plain(dtype) {
            return Err(invalid_argument(format!("gradients of {} were asked for, which is no float but {dtype}", y.name())));
        }
        let one = |name: String| -> Result<Output> {
            let one = crate::builder::scalar_of(dtype, 1i64)?;
            Ok(self.graph.op("Const").name(name).attr("dtype", dtype).attr("value", one).output())
        };
        let name = format!("grad_ys_{i}");
        if y.shape().rank() == Some(0) {
            return one(name);
        }
        let shape = self.graph.op("Shape").input(y).output();
        Ok(self.graph.op("Fill").input(shape).input(one(name)?).output())
    }

    /// What an op hands back: one entry per input.
    fn through(&mut self, op: &Operation) -> Result<Vec<Option<Grad>>> {
        let node = op.node();
        let n = node.inputs.len();
        let mut out = Vec::with_capacity(node.info.output_types.len());
        for index in 0..node.info.output_types.len() {
            let trainable = is_trainable(node.info.output_types[index].dtype);
            out.push(if trainable { self.sum(Endpoint { node: op.id(), index: index as u32 })? } else { None });
        }
        // Sources, and what the options cut off, have nothing to hand back to.
        let is_cut = self.options.stop_gradients.iter().any(|s| s.op() == op);
        let leads_on = node.inputs.iter().any(|e| self.pending.get(e.node.index()).is_some_and(|p| p.is_some()));
        if is_cut || !leads_on || out.iter().all(|g| g.is_none()) {
            return Ok(vec![None; n]);
        }
        let function = match node.info.op.spec.gradient {
            Gradient::Of(function) => function,
            Gradient::Zero => return Ok(vec![None; n]),
            Gradient::Undefined => {
                return Err(unimplemented(format!(
                    "No gradient defined for operation '{}' (op type: {})",
                    node.info.name,
                    node.info.op_name()
                )));
            }
        };
        let build = || self.graph.name_scope(&format!("{}_grad", node.info.name), || function(op, &OutGrads::new(op, &out)));
        let back = if self.options.colocate_with_ops { self.graph.colocate_with(op, build) } else { build() };
        let back = back.map_err(|e| e.context(format_args!("the gradient of operation '{}'", node.info.name)))?;
        if back.len() != n {
            return Err(internal(format!("Num gradients {} generated for op {} do not match num inputs {n}", back.len(), node.info.name)));
        }
        for (i, grad) in back.iter().enumerate() {
            if let Some(Grad::Dense(g)) = grad {
                check_fits(op, i, g)?;
            }
        }
        Ok(back)
    }

    /// Adds up what has come to an output, and keeps the sum in its place.
    fn sum(&mut self, at: Endpoint) -> Result<Option<Grad>> {
        let Some(parts) = self.grads.get(&at) else { return Ok(None) };
        let total = match parts.as_slice() {
            [] => return Ok(None),
            [one] => return Ok(Some(one.clone())),
            many => self.add(many),
        };
        self.grads.insert(at, vec![total.clone()]);
        Ok(Some(total))
    }

    fn add(&self, parts: &[Grad]) -> Grad {
        let (mut values_of, mut indices_of) = (Vec::new(), Vec::new());
        for part in parts {
            if let Grad::Slices { values, indices, .. } = part {
                values_of.push(values.clone());
                indices_of.push(indices.clone());
            }
        }
        match parts.first() {
            Some(Grad::Slices { dense_shape, .. }) if values_of.len() == parts.len() => {
                if indices_of.iter().any(|i| i.dtype() != indices_of[0].dtype()) {
                    let wide = |i: &Output| self.graph.op("Cast").input(i).attr("DstT", DType::Int64).output();
                    indices_of = indices_of.iter().map(wide).collect();
                }
                let axis = self.graph.op("Const").name("concat/axis").attr("dtype", DType::Int32).attr("value", scalar_zero()).output();
                let concat = |list: Vec<Output>| self.graph.op("ConcatV2").name("concat").input_list(list).input(&axis).output();
                Grad::Slices { values: concat(values_of), indices: concat(indices_of), dense_shape: dense_shape.clone() }
            }
            _ => Grad::Dense(self.graph.op("AddN").input_list(parts.iter().map(Grad::to_dense)).output()),
        }
    }
}

fn scalar_zero() -> ferroflow_tensor::Tensor {
    ferroflow_tensor::Tensor::scalar(0i32)
}

/// Errors: `InvalidArgument` if a gradient cannot have the type and shape of the input that it is for.
fn check_fits(op: &Operation, i: usize, grad: &Output) -> Result<()> {
    let input = op.input(i);
    if !is_plain(input.dtype()) {
        return Ok(());
    }
    if input.dtype() != grad.dtype() {
        return Err(internal(format!(
            "Gradient type {} generated for op {} does not match the type {} of input {i}",
            grad.dtype(),
            op.name(),
            input.dtype()
        )));
    }
    input.shape().merge(&grad.shape()).map(drop).map_err(|_| {
        invalid_argument(format!(
            "Incompatible shapes between op input and calculated input gradient.  Forward operation: {}.  Input index: {i}. Original \
             input shape: {}.  Calculated input gradient shape: {}",
            op.name(),
            input.shape(),
            grad.shape()
        ))
    })
}

/// The nodes that lie between xs and ys, both included, each with the number of its edges to others of them.
///
/// Errors: `Unimplemented` if a loop lies between.
fn on_the_way(nodes: &NodeGraph, ys: &[Output], xs: &[Output], stops: &[Output]) -> Result<Vec<Option<u32>>> {
    let is_stop = |id: NodeId| stops.iter().any(|s| s.op().id() == id);
    // Backwards from ys: nothing beyond what is cut off.
    let mut needed = vec![false; nodes.len()];
    let mut stack: Vec<NodeId> = ys.iter().map(|y| y.op().id()).collect();
    while let Some(id) = stack.pop() {
        if std::mem::replace(&mut needed[id.index()], true) || is_stop(id) {
            continue;
        }
        let inputs = &nodes.node(id).inputs;
        stack.extend(inputs.iter().filter(|e| is_trainable(nodes.endpoint_type(**e).dtype)).map(|e| e.node));
    }
    // Forwards from xs, inside that.
    let mut consumers: HashMap<NodeId, Vec<NodeId>> = HashMap::new();
    for (id, node) in nodes.iter().filter(|(id, _)| needed[id.index()] && !is_stop(*id)) {
        for e in node.inputs.iter().filter(|e| is_trainable(nodes.endpoint_type(**e).dtype)) {
            consumers.entry(e.node).or_default().push(id);
        }
    }
    let mut pending: Vec<Option<u32>> = vec![None; nodes.len()];
    let mut stack: Vec<NodeId> = xs.iter().map(|x| x.op().id()).filter(|id| needed[id.index()]).collect();
    while let Some(id) = stack.pop() {
        if pending[id.index()].replace(0).is_none() {
            stack.extend(consumers.get(&id).into_iter().flatten());
        }
    }
    for (id, node) in nodes.iter().filter(|(id, _)| needed[id.index()] && !is_stop(*id)) {
        if pending[id.index()].is_none() {
            continue;
        }
        if matches!(node.info.op_name(), "Enter" | "RefEnter" | "Exit" | "RefExit" | "NextIteration" | "RefNextIteration") {
            return Err(unimplemented(format!("gradients through loops are not supported: operation '{}' is part of one", node.info.name)));
        }
        for e in &node.inputs {
            if let Some(Some(count)) = pending.get_mut(e.node.index()) {
                *count += 1;
            }
        }
    }
    Ok(pending)
}

#[cfg(test)]
#[allow(clippy::cloned_ref_to_slice_refs)] // `&[y.clone()]` is how a program would write it.
mod tests {
    use super::*;
    use crate::test_ops::graph;
    use ferroflow_tensor::{Code, PartialShape};

    fn dense(grad: &Option<Grad>) -> Output {
        match grad {
            Some(Grad::Dense(g)) => g.clone(),
            other => panic!("expected a tensor, got {other:?}"),
        }
    }

    /// What an output computes, as a formula over names.
    fn formula(o: &Output) -> String {
        let op = o.op();
        let args: Vec<String> = (0..op.num_inputs()).map(|i| formula(&op.input(i))).collect();
        match op.op_name().as_str() {
            "Placeholder" | "VariableV2" | "Const" => o.op().name().rsplit('/').next().unwrap_or_default().to_owned(),
            "Mul" => format!("({})", args.join("*")),
            "AddN" => format!("({})", args.join("+")),
            name => format!("{name}({})", args.join(",")),
        }
    }

    fn variable(g: &Graph, name: &str) -> Output {
        g.op("VariableV2").name(name).attr("dtype", DType::Float).attr("shape", PartialShape::scalar()).output()
    }

    fn code(result: Result<Vec<Option<Grad>>>) -> (Code, String) {
        result.map(|_| ()).map_err(|e| (e.code(), e.message())).unwrap_err()
    }

    #[test]
    fn what_comes_over_several_ways_adds_up() {
        let g = graph();
        let (a, b) = (variable(&g, "a"), variable(&g, "b"));
        let read = g.op("Identity").name("a/read").input(&a).output();
        let y = &read * &b + &read * &read;
        // With respect to the reference and to its read: the same.
        for x in [&a, &read] {
            let grads = gradients(&[y.clone()], &[x.clone(), b.clone()], None).unwrap();
            let text = formula(&dense(&grads[0]));
            let read = "Identity(a)";
            assert_eq!(text, format!("((grad_ys_0*b)+(grad_ys_0*{read})+(grad_ys_0*{read}))"));
            assert_eq!(formula(&dense(&grads[1])), format!("(grad_ys_0*{read})"));
        }
        assert!(g.operation("gradients/mul_grad/Mul").is_ok() && g.operation("gradients_1/mul_grad/Mul").is_ok());
    }

    #[test]
    fn an_op_waits_for_all_that_flows_into_it() {
        let g = graph();
        let x = g.placeholder(DType::Float, PartialShape::new(&[None]));
        // A diamond of unequal sides: `n` gets something at once and something later.
        let n = -&x;
        let long = -(-(-n.clone()));
        let y = &n + &long;
        let grads = gradients(&[y], &[x], None).unwrap();
        let one = "Fill(Shape(AddV2(Neg(Placeholder),Neg(Neg(Neg(Neg(Placeholder)))))),grad_ys_0)";
        assert_eq!(formula(&dense(&grads[0])), format!("Neg(({one}+Neg(Neg(Neg({one})))))"));
    }

    #[test]
    fn independent_or_stopped_outputs_have_no_gradient() {
        let g = graph();
        let (a, b, c) = (variable(&g, "a"), variable(&g, "b"), variable(&g, "c"));
        let stopped = g.op("StopGradient").input(&b).output();
        let product = &a * &stopped;
        let grads = gradients(&[product.clone()], &[a.clone(), b, c, product.clone()], None).unwrap();
        assert!(grads[0].is_some() && grads[1].is_none() && grads[2].is_none());
        assert_eq!(formula(&dense(&grads[3])), "grad_ys_0");
        let options = GradientOptions { stop_gradients: vec![product.clone()], ..Default::default() };
        assert!(gradients_with(&[-&product], &[a], None, &options).unwrap()[0].is_none());
        // Integers end the way as well.
        let x = g.placeholder(DType::Float, PartialShape::scalar());
        let size = g.op("Size").input(&x).attr("out_type", DType::Int32).output();
        let y = g.op("Cast").input(&size).attr("DstT", DType::Float).output();
        assert!(gradients(&[y], &[x], None).unwrap()[0].is_none());
    }

    #[test]
    fn given_gradients_start_the_way_back() {
        let g = graph();
        let (a, seed) = (variable(&g, "a"), variable(&g, "seed"));
        let grads = gradients(&[-&a], &[a.clone()], Some(&[seed.clone()])).unwrap();
        assert_eq!(formula(&dense(&grads[0])), "Neg(seed)");
        assert_eq!(code(gradients(&[-&a], &[a.clone()], Some(&[]))).0, Code::InvalidArgument);
        assert_eq!(code(gradients(&[-&a], &[a.clone()], Some(&[g.constant(1i32)]))).0, Code::InvalidArgument);
        assert_eq!(code(gradients(&[-&a], &[a], Some(&[g.constant_vector(&[1f32])]))).0, Code::InvalidArgument);
    }

    #[test]
    fn an_output_without_a_gradient_counts_as_zeros() {
        let g = graph();
        let x = g.placeholder(DType::Float, PartialShape::new(&[Some(2)]));
        let parts = g.op("Unstack").input(&x).attr("num", 2i64).build();
        let grads = gradients(&[parts.output(1)], &[x], None).unwrap();
        let one = "Fill(Shape(Unstack(Placeholder)),grad_ys_0)";
        assert_eq!(formula(&dense(&grads[0])), format!("Pack(ZerosLike(Unstack(Placeholder)),{one})"));
    }

    #[test]
    fn rows_of_a_variable_are_concatenated_or_spread_out() {
        let g = graph();
        let shape = PartialShape::new(&[Some(5), Some(2)]);
        let v = g.op("VarHandleOp").name("v").attr("dtype", DType::Float).attr("shape", shape).output();
        let rows = |i: Output| g.op("ResourceGather").inputs([v.clone(), i]).attr("dtype", DType::Float).output();
        let (a, b) = (rows(g.constant_vector(&[0i32])), rows(g.constant_vector(&[1i64])));
        let one = gradients(&[a.clone()], &[v.clone()], None).unwrap();
        assert!(matches!(&one[0], Some(Grad::Slices { indices, .. }) if indices.dtype() == DType::Int32));
        let both = gradients(&[&a + &b], &[v.clone()], None).unwrap();
        let Some(Grad::Slices { values, indices, dense_shape }) = &both[0] else { panic!("expected rows, got {both:?}") };
        assert_eq!((values.op().op_name(), indices.op().op_name(), indices.dtype()), ("ConcatV2".into(), "ConcatV2".into(), DType::Int64));
        assert_eq!(dense_shape.shape(), PartialShape::new(&[Some(2)]));
        let read = g.op("ReadVariableOp").input(&v).attr("dtype", DType::Float).output();
        let mixed = gradients(&[&a + &read], &[v], None).unwrap();
        let sum = dense(&mixed[0]);
        let kinds: Vec<String> = (0..2).map(|i| sum.op().input(i).op().op_name()).collect();
        assert_eq!(sum.op().op_name(), "AddN");
        assert!(kinds.contains(&"UnsortedSegmentSum".to_owned()), "{kinds:?}");
        g.check().unwrap();
    }

    #[test]
    fn gradients_go_where_the_scopes_say_or_beside_their_op() {
        let g = graph();
        let a = g.device("/job:ps", || variable(&g, "a"));
        let y = g.device("/job:worker/task:1", || &a * &a);
        let device = |options: GradientOptions| {
            let grads = g.device("/job:worker/task:2", || gradients_with(&[y.clone()], &[a.clone()], None, &options)).unwrap();
            let part = dense(&grads[0]).op().input(0);
            (part.op().name(), part.op().device())
        };
        assert_eq!(device(GradientOptions::default()), ("gradients/mul_grad/Mul".into(), "/job:worker/task:2".into()));
        let beside = GradientOptions { colocate_with_ops: true, name: "g".into(), ..Default::default() };
        assert_eq!(device(beside), ("g/mul_grad/Mul".into(), "/job:worker/task:1".into()));
    }

    #[test]
    fn what_cannot_be_differentiated_is_named() {
        let g = graph();
        let a = variable(&g, "a");
        let floor = g.op("Floor").name("f").input(&a).output();
        let undefined = (Code::Unimplemented, "No gradient defined for operation 'f' (op type: Floor)".to_owned());
        assert_eq!(code(gradients(&[-&floor], &[a.clone()], None)), undefined);
        let wrong = g.op("Wrong").name("w").input(&a).output();
        assert_eq!(code(gradients(&[wrong], &[a.clone()], None)).1, "Num gradients 0 generated for op w do not match num inputs 1");
        let shape = g.op("WrongShape").name("s").input(&a).output();
        assert!(
            code(gradients(&[shape], &[a.clone()], None)).1.contains("Forward operation: s.  Input index: 0. Original input shape: [].")
        );
        let next = g.op("NextIteration").input(&a).output();
        assert_eq!(code(gradients(&[next], &[a.clone()], None)).0, Code::Unimplemented);
        let int = g.placeholder(DType::Int32, PartialShape::scalar());
        assert_eq!(code(gradients(&[int], &[a.clone()], None)).0, Code::InvalidArgument);
        let other = variable(&graph(), "a");
        assert_eq!(code(gradients(&[-&a], &[other], None)).0, Code::InvalidArgument);
        assert_eq!(code(gradients(&[], &[a.clone()], None)).0, Code::InvalidArgument);
        assert_eq!(code(gradients(&[a.op().output(3)], &[a.clone()], None)).0, Code::InvalidArgument);
        g.op("Missing").build();
        assert_eq!(code(gradients(&[-&a], &[a], None)).0, Code::NotFound);
    }
}
