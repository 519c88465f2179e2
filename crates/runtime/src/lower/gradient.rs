//! `SymbolicGradient` becomes the nodes that compute the gradient of a function (TF: `SymbolicGradientOp`, `SymbolicGradientBuilder`).
//!
//! Its arguments are those of the function and the gradients of its results, its results the gradients of the arguments. Where the
//! library names a function that is the gradient, that one is called; otherwise the body, with everything in it expanded, is
//! differentiated like a client's graph.

use super::expansion::{Context, Expansion};
use ferroflow_graph::{FuncAttr, FunctionBody, Graph, Node, NodeGraph, NodeId, Output};
use ferroflow_tensor::error::invalid_argument;
use ferroflow_tensor::{DType, Result};

impl Expansion<'_> {
    /// Replaces the gradient of a function.
    pub(super) fn expand_gradient(&mut self, id: NodeId, node: &Node, function: &FuncAttr, context: &Context) -> Result<Vec<NodeId>> {
        if let Some(gradient) = self.library().gradient(&function.name) {
            let gradient = FuncAttr { name: gradient.to_owned(), attrs: function.attrs.clone() };
            return self.expand_call(id, node, &gradient, context);
        }
        let key = format!("gradient of {}", crate::functions::instance_key(&function.name, &function.attrs));
        let body = match self.known_body(&key) {
            Some(body) => body,
            None => {
                let body = self.body(function)?;
                let body =
                    self.differentiated(&body.body).map_err(|e| e.context(format_args!("gradient of function '{}'", function.name)))?;
                self.keep_body(key, body)
            }
        };
        self.expand_body(id, node, &function.name, &body, context)
    }

    fn differentiated(&self, body: &FunctionBody) -> Result<FunctionBody> {
        let flat = super::lower(&body.graph, &NodeGraph::new(), self.registry())?;
        let graph = Graph::with_registry(self.registry().clone());
        let mut args: Vec<Option<Output>> = vec![None; body.args.len()];
        let mut ys: Vec<Option<Output>> = vec![None; body.rets.len()];
        for op in graph.import(&flat, "")? {
            let index = || op.with_attrs(|a| a.count("index"));
            let (place, value) = match op.op_name().as_str() {
                "_Arg" => (args.get_mut(index()?), op.output(0)),
                "_Retval" => (ys.get_mut(index()?), op.input(0)),
                _ => continue,
            };
            *place.ok_or_else(|| invalid_argument(format!("{} has an index that there is not", op.name())))? = Some(value);
        }
        let arg = |index: usize, dtype: DType| graph.op("_Arg").attr("T", dtype).attr("index", index).output();
        let type_of = |id: &NodeId| body.graph.node(*id).info.attrs.dtype("T");
        let mut xs = Vec::with_capacity(args.len());
        for (i, known) in args.into_iter().enumerate() {
            // Nothing may need an argument; it has a place all the same.
            let dtype = type_of(&body.args[i])?;
            xs.push(known.unwrap_or_else(|| arg(i, dtype)));
        }
        let (mut floats, mut given, mut grads) = (Vec::new(), Vec::new(), Vec::new());
        for (i, y) in ys.into_iter().enumerate() {
            let dtype = type_of(&body.rets[i])?;
            let grad = arg(xs.len() + i, dtype);
            if let Some(y) = y.filter(|_| dtype.is_floating() || dtype.is_complex()) {
                floats.push(y);
                grads.push(grad.clone());
            }
            given.push(grad);
        }
        let found = match floats.is_empty() {
            true => vec![None; xs.len()],
            false => ferroflow_graph::gradients(&floats, &xs, Some(&grads))?,
        };
        let mut rets = Vec::with_capacity(xs.len());
        for (i, (x, dx)) in xs.iter().zip(found).enumerate() {
            let dx = dx.map_or_else(|| graph.op("ZerosLike").input(x).output(), |dx| dx.to_dense());
            rets.push(graph.op("_Retval").input(dx).attr("index", i).build().id());
        }
        let args = xs.iter().chain(&given).map(|o| o.op().id()).collect();
        Ok(FunctionBody { graph: graph.snapshot()?, args, rets, control_rets: Vec::new() })
    }
}
