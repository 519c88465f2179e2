//! The graph of a function's body, with the function's attributes filled in (TF: `InstantiateFunction`).

use ferroflow_graph::op::{ArgDef, Op, OpDef};
use ferroflow_graph::{
    AttrMap, AttrValue, Endpoint, FuncAttr, FunctionDef, FunctionLibrary, Node, NodeGraph, NodeId, NodeInfo, OpRegistry,
};
use ferroflow_tensor::error::{invalid_argument, not_found};
use ferroflow_tensor::{EdgeType, Result};
use std::collections::HashMap;
use std::sync::Arc;

/// Builds the body: `_Arg` nodes for the arguments, the nodes that results, control outputs or effects need, and `_Retval` nodes.
///
/// Errors: `InvalidArgument` for a body that is malformed or attributes that do not fit it; `NotFound` for unknown ops.
pub(crate) fn function_body(
    function: &FunctionDef,
    attrs: &AttrMap,
    library: &Arc<FunctionLibrary>,
    registry: &OpRegistry,
) -> Result<NodeGraph> {
    let mut own = attrs.clone();
    // Attributes of the call itself, such as its device, are none of the function's.
    let known: Vec<String> = own.iter().map(|(name, _)| name.to_owned()).filter(|n| function.signature.attr(n).is_none()).collect();
    known.iter().for_each(|name| drop(own.remove(name)));
    function.signature.complete(&mut own)?;
    let mut body = Body { function, attrs: own, registry, library, graph: NodeGraph::new(), values: HashMap::new() };
    body.add_args()?;
    body.add_nodes()?;
    body.add_retvals()?;
    let mut graph = body.graph;
    graph.library = library.clone();
    needed(&graph, function)
}

struct Body<'a> {
    function: &'a FunctionDef,
    attrs: AttrMap,
    registry: &'a OpRegistry,
    library: &'a FunctionLibrary,
    graph: NodeGraph,
    /// What input strings without an index denote: `arg` and `node:out`.
    values: HashMap<String, Vec<Endpoint>>,
}

fn types_of(arg: &ArgDef, attrs: &AttrMap) -> Result<Vec<EdgeType>> {
    Ok(OpDef { inputs: vec![arg.clone()], ..OpDef::default() }.arity(attrs)?.inputs)
}

impl Body<'_> {
    fn add(&mut self, name: &str, op: Arc<Op>, attrs: AttrMap, inputs: Vec<Endpoint>, control: Vec<NodeId>) -> Result<NodeId> {
        self.graph.add(Node {
            info: Arc::new(NodeInfo::new(name, op, attrs)?),
            inputs,
            control_inputs: control,
            requested_device: "".into(),
            assigned_device: "".into(),
        })
    }

    fn add_args(&mut self) -> Result<()> {
        let op = self.registry.get("_Arg")?.clone();
        let mut index = 0i64;
        for arg in &self.function.signature.inputs {
            let types = types_of(arg, &self.attrs)?;
            let mut endpoints = Vec::new();
            for (k, ty) in types.iter().enumerate() {
                let name = if types.len() == 1 { arg.name.clone() } else { format!("{}_{k}", arg.name) };
                let attrs = [("T".to_owned(), AttrValue::Type(*ty)), ("index".to_owned(), AttrValue::Int(index))];
                let node = self.add(&name, op.clone(), attrs.into_iter().collect(), vec![], vec![])?;
                endpoints.push(Endpoint { node, index: 0 });
                index += 1;
            }
            self.values.insert(arg.name.clone(), endpoints);
        }
        Ok(())
    }

    /// Adds the nodes of the body. Their order is free, so ids are given first and edges drawn afterwards.
    fn add_nodes(&mut self) -> Result<()> {
        let first = self.graph.len();
        for def in &self.function.nodes {
            let attrs = self.substituted(&def.attrs).map_err(|e| e.at_node(&def.name))?;
            let op = match (self.registry.get(&def.op), self.library.get(&def.op)) {
                (Ok(op), _) => op.clone(),
                (Err(_), Some(function)) => Arc::new(Op::call_of(function)),
                (Err(e), None) => return Err(e.at_node(&def.name)),
            };
            let id = self.add(&def.name, op, attrs, vec![], vec![])?;
            let info = self.graph.node(id).info.clone();
            for output in &info.op.def.outputs {
                let range = info.op.def.output_range(&output.name, &info.attrs)?;
                let endpoints = range.map(|i| Endpoint { node: id, index: i as u32 }).collect();
                self.values.insert(format!("{}:{}", def.name, output.name), endpoints);
            }
        }
        for (i, def) in self.function.nodes.iter().enumerate() {
            let at = |e: ferroflow_tensor::Error| e.at_node(&def.name);
            let (mut inputs, mut control) = (Vec::new(), Vec::new());
            for input in &def.inputs {
                match input.strip_prefix('^') {
                    Some(name) => control.push(self.node(name).map_err(at)?),
                    None => inputs.extend(self.endpoints(input).map_err(at)?),
                }
            }
            let node = self.graph.node_mut(NodeId((first + i) as u32));
            (node.inputs, node.control_inputs) = (inputs, control);
        }
        Ok(())
    }

    fn add_retvals(&mut self) -> Result<()> {
        let op = self.registry.get("_Retval")?.clone();
        let mut index = 0i64;
        for result in &self.function.signature.outputs {
            let source = self.function.ret.get(&result.name);
            let source = source.ok_or_else(|| invalid_argument(format!("nothing is returned as '{}'", result.name)))?;
            let types = types_of(result, &self.attrs)?;
            let endpoints = self.endpoints(source)?;
            if endpoints.len() != types.len() {
                return Err(invalid_argument(format!(
                    "'{source}' stands for {} tensors, the result '{}' for {}",
                    endpoints.len(),
                    result.name,
                    types.len()
                )));
            }
            for (endpoint, ty) in endpoints.into_iter().zip(types) {
                let attrs = [("T".to_owned(), AttrValue::Type(ty)), ("index".to_owned(), AttrValue::Int(index))];
                let mut name = format!("{}_RetVal", result.name);
                while self.graph.find(&name).is_some() {
                    name.push('_');
                }
                self.add(&name, op.clone(), attrs.into_iter().collect(), vec![endpoint], vec![])?;
                index += 1;
            }
        }
        Ok(())
    }

    fn node(&self, name: &str) -> Result<NodeId> {
        self.graph.find(name).ok_or_else(|| not_found(format!("the body has no node '{name}'")))
    }

    /// What an input string denotes: `arg`, `arg:k`, `node:out` (all tensors of that output) or `node:out:k`.
    fn endpoints(&self, text: &str) -> Result<Vec<Endpoint>> {
        if let Some(all) = self.values.get(text) {
            return Ok(all.clone());
        }
        let bad = || invalid_argument(format!("the body has no value '{text}'"));
        let (base, index) = text.rsplit_once(':').ok_or_else(bad)?;
        let index: usize = index.parse().map_err(|_| bad())?;
        let all = self.values.get(base).ok_or_else(bad)?;
        all.get(index).map(|e| vec![*e]).ok_or_else(bad)
    }

    /// Attributes with the function's own in place of `$name`.
    fn substituted(&self, attrs: &AttrMap) -> Result<AttrMap> {
        attrs.iter().map(|(name, value)| Ok((name.to_owned(), self.substitute(value)?))).collect()
    }

    fn substitute(&self, value: &AttrValue) -> Result<AttrValue> {
        let in_func = |f: &FuncAttr| Ok(FuncAttr { name: f.name.clone(), attrs: self.substituted(&f.attrs)? });
        Ok(match value {
            AttrValue::Placeholder(name) => match self.attrs.get(name) {
                Some(value) => value.clone(),
                None => return Err(invalid_argument(format!("the function has no attribute '{name}'"))),
            },
            AttrValue::Func(f) => AttrValue::Func(in_func(f)?),
            AttrValue::Funcs(fs) => AttrValue::Funcs(fs.iter().map(in_func).collect::<Result<_>>()?),
            value => value.clone(),
        })
    }
}

/// The nodes that arguments, results, control outputs and effects need; others could only fail.
fn needed(graph: &NodeGraph, function: &FunctionDef) -> Result<NodeGraph> {
    let mut wanted = vec![false; graph.len()];
    let mut open: Vec<NodeId> = Vec::new();
    for (id, node) in graph.iter() {
        let controls = function.control_ret.values().any(|name| **name == *node.info.name);
        if node.info.op.def.is_stateful || controls || matches!(node.info.op_name(), "_Arg" | "_Retval") || node.info.op.is_function_call()
        {
            open.push(id);
        }
    }
    while let Some(id) = open.pop() {
        if !std::mem::replace(&mut wanted[id.index()], true) {
            let node = graph.node(id);
            open.extend(node.inputs.iter().map(|e| e.node).chain(node.control_inputs.iter().copied()));
        }
    }
    let mut new_id = vec![NodeId(0); graph.len()];
    let kept = (0..graph.len()).filter(|&i| wanted[i]);
    kept.enumerate().for_each(|(new, old)| new_id[old] = NodeId(new as u32));
    let mut pruned = NodeGraph::new();
    pruned.library = graph.library.clone();
    pruned.versions = graph.versions.clone();
    for (_, node) in graph.iter().filter(|(id, _)| wanted[id.index()]) {
        let mut node = node.clone();
        node.inputs.iter_mut().for_each(|e| e.node = new_id[e.node.index()]);
        node.control_inputs.iter_mut().for_each(|c| *c = new_id[c.index()]);
        pruned.add(node)?;
    }
    Ok(pruned)
}
