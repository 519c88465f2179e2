//! Makes a function's body into a graph (TF: `InstantiateFunction`, `FunctionBody`).

use super::{FunctionDef, FunctionLibrary, NodeDef};
use crate::attr::{AttrMap, AttrValue, FuncAttr};
use crate::node::{Endpoint, Node, NodeGraph, NodeId, NodeInfo};
use crate::op::{Op, OpRegistry};
use ferroflow_tensor::error::{invalid_argument, not_found};
use ferroflow_tensor::{EdgeType, Error, Result};
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

/// A function's body for some values of its attributes: `_Arg` nodes, what it computes, `_Retval` nodes.
#[derive(Clone)]
pub struct FunctionBody {
    /// The body. Nodes have the names that they have in the function; their devices are those requested there.
    pub graph: NodeGraph,
    /// The `_Arg` nodes: one per tensor that is passed in, argument lists expanded.
    pub args: Vec<NodeId>,
    /// The `_Retval` nodes: one per tensor that is returned, result lists expanded.
    pub rets: Vec<NodeId>,
    /// Nodes that must have run before the call is over, though no result may need them.
    pub control_rets: Vec<NodeId>,
}

/// Instantiates a function: expands its arguments and results, binds the placeholders in its nodes' attributes to `attrs`, and connects
/// its nodes. `attrs` are the calling node's or those of the `func` attribute that names the function. The graph has the whole library,
/// so that the body may call further functions; whoever expands those too must watch for [`FunctionLibrary::recursion`].
///
/// Errors: `InvalidArgument` naming function and node for a malformed body or a missing attribute; `NotFound` for an unknown op.
pub fn instantiate(function: &FunctionDef, attrs: &AttrMap, library: &Arc<FunctionLibrary>, registry: &OpRegistry) -> Result<FunctionBody> {
    let at = |e: Error| e.context(format_args!("function '{}'", function.signature.name));
    Instantiation::new(function, attrs, library, registry).and_then(|i| i.run()).map_err(at)
}

struct Instantiation<'a> {
    function: &'a FunctionDef,
    attrs: AttrMap,
    registry: &'a OpRegistry,
    library: &'a Arc<FunctionLibrary>,
    graph: NodeGraph,
    /// Which `_Arg` nodes an argument stands for.
    args: HashMap<&'a str, Range<usize>>,
    arg_nodes: Vec<NodeId>,
}

impl<'a> Instantiation<'a> {
    fn new(
        function: &'a FunctionDef,
        attrs: &AttrMap,
        library: &'a Arc<FunctionLibrary>,
        registry: &'a OpRegistry,
    ) -> Result<Instantiation<'a>> {
        // Attributes that the signature does not name are hints for the caller's runtime.
        let mut own: AttrMap =
            function.signature.attrs.iter().filter_map(|def| Some((def.name.clone(), attrs.get(&def.name)?.clone()))).collect();
        function.signature.complete(&mut own)?;
        let mut graph = NodeGraph::new();
        graph.library = library.clone();
        graph.versions = crate::node::Versions::current();
        Ok(Instantiation { function, attrs: own, registry, library, graph, args: HashMap::new(), arg_nodes: Vec::new() })
    }

    fn run(mut self) -> Result<FunctionBody> {
        self.add_args()?;
        for node in &self.function.nodes {
            self.add_node(node).map_err(|e| e.at_node(&node.name))?;
        }
        for node in &self.function.nodes {
            self.connect(node).map_err(|e| e.at_node(&node.name))?;
        }
        let rets = self.add_rets()?;
        let control_rets = self.control_rets()?;
        self.graph.validate()?;
        Ok(FunctionBody { graph: self.graph, args: self.arg_nodes, rets, control_rets })
    }

    fn add(&mut self, name: &str, op: Arc<Op>, attrs: AttrMap, inputs: Vec<Endpoint>, device: &str) -> Result<NodeId> {
        let info = Arc::new(NodeInfo::new(name, op, attrs)?);
        self.graph.add(Node { info, inputs, control_inputs: Vec::new(), requested_device: device.into(), assigned_device: "".into() })
    }

    /// A node at the function's border: `_Arg` or `_Retval`.
    fn add_border(&mut self, op: &str, name: String, ty: EdgeType, index: usize, inputs: Vec<Endpoint>) -> Result<NodeId> {
        let op = self.registry.get(op)?.clone();
        let attrs = [("T".to_owned(), AttrValue::Type(EdgeType::value(ty.dtype))), ("index".to_owned(), AttrValue::Int(index as i64))];
        self.add(&name, op, attrs.into_iter().collect(), inputs, "")
    }

    fn add_args(&mut self) -> Result<()> {
        let function = self.function;
        for arg in &function.signature.inputs {
            let types = arg.types(&self.attrs)?;
            let start = self.arg_nodes.len();
            for (k, &ty) in types.iter().enumerate() {
                let name = if arg.is_list() { format!("{}_{k}", arg.name) } else { arg.name.clone() };
                let id = self.add_border("_Arg", name, ty, self.arg_nodes.len(), Vec::new())?;
                self.arg_nodes.push(id);
            }
            self.args.insert(&arg.name, start..self.arg_nodes.len());
        }
        Ok(())
    }

    fn add_node(&mut self, node: &NodeDef) -> Result<()> {
        let op = match (self.registry.get(&node.op), self.library.get(&node.op)) {
            (Ok(op), _) => op.clone(),
            (Err(_), Some(callee)) => Arc::new(Op::call_of(callee)),
            (Err(e), None) => return Err(e),
        };
        let attrs = bind(&node.attrs, &self.attrs)?;
        self.add(&node.name, op, attrs, Vec::new(), &node.device).map(drop)
    }

    fn connect(&mut self, node: &NodeDef) -> Result<()> {
        let (mut inputs, mut control) = (Vec::with_capacity(node.inputs.len()), Vec::new());
        for text in &node.inputs {
            match text.strip_prefix('^') {
                Some(name) => control.push(self.control(name)?),
                None if control.is_empty() => self.resolve(text, &mut inputs)?,
                None => return Err(invalid_argument(format!("input {text}: control inputs must come after data inputs"))),
            }
        }
        control.sort_unstable();
        control.dedup();
        let id = self.graph.find(&node.name).ok_or_else(|| not_found(format!("node {} is not found", node.name)))?;
        let node = self.graph.node_mut(id);
        (node.inputs, node.control_inputs) = (inputs, control);
        Ok(())
    }

    /// The node that `^name` denotes; an argument may stand there too.
    fn control(&self, name: &str) -> Result<NodeId> {
        self.graph.find(name).ok_or_else(|| invalid_argument(format!("input ^{name} is not found")))
    }

    /// Appends the outputs that `arg`, `arg:k`, `node:output` (all of a list) or `node:output:k` denotes.
    fn resolve(&self, text: &str, inputs: &mut Vec<Endpoint>) -> Result<()> {
        let missing = || invalid_argument(format!("input {text} is not found"));
        let (name, rest) = text.split_once(':').map_or((text, None), |(name, rest)| (name, Some(rest)));
        let number = |k: &str| k.parse::<usize>().map_err(|_| missing());
        if let Some(range) = self.args.get(name) {
            let range = match rest {
                None => range.clone(),
                Some(k) => element(range, number(k)?).ok_or_else(missing)?,
            };
            inputs.extend(self.arg_nodes[range].iter().map(|&node| Endpoint { node, index: 0 }));
            return Ok(());
        }
        let rest = rest.ok_or_else(missing)?;
        let node = self.graph.find(name).ok_or_else(missing)?;
        let info = &self.graph.node(node).info;
        let range = match rest.split_once(':') {
            None => info.op.def.output_range(rest, &info.attrs)?,
            Some((output, k)) => element(&info.op.def.output_range(output, &info.attrs)?, number(k)?).ok_or_else(missing)?,
        };
        inputs.extend(range.map(|index| Endpoint { node, index: index as u32 }));
        Ok(())
    }

    fn add_rets(&mut self) -> Result<Vec<NodeId>> {
        let function = self.function;
        let mut rets = Vec::new();
        for ret in &function.signature.outputs {
            let source = function.ret.get(&ret.name).ok_or_else(|| invalid_argument(format!("return {} missing", ret.name)))?;
            let mut outputs = Vec::new();
            self.resolve(source, &mut outputs)?;
            let types = ret.types(&self.attrs)?;
            if outputs.len() != types.len() {
                return Err(invalid_argument(format!("return {} is {} tensors, {source} is {}", ret.name, types.len(), outputs.len())));
            }
            for (k, (&ty, output)) in types.iter().zip(outputs).enumerate() {
                let mut name = if ret.is_list() { format!("{}_RetVal_{k}", ret.name) } else { format!("{}_RetVal", ret.name) };
                while self.graph.find(&name).is_some() {
                    name.push('_');
                }
                rets.push(self.add_border("_Retval", name, ty, rets.len(), vec![output])?);
            }
        }
        Ok(rets)
    }

    fn control_rets(&self) -> Result<Vec<NodeId>> {
        let function = self.function;
        if let Some(name) = function.control_outputs.iter().find(|n| !function.control_ret.contains_key(*n)) {
            return Err(invalid_argument(format!("control return {name} missing")));
        }
        let mut nodes = function.control_ret.values().map(|n| self.control(n)).collect::<Result<Vec<_>>>()?;
        nodes.sort_unstable();
        nodes.dedup();
        Ok(nodes)
    }
}

/// Element `k` of a list as a range of its own.
fn element(list: &Range<usize>, k: usize) -> Option<Range<usize>> {
    list.clone().nth(k).map(|i| i..i + 1)
}

/// The attributes with placeholders replaced, also inside the attributes of functions.
fn bind(attrs: &AttrMap, values: &AttrMap) -> Result<AttrMap> {
    let func = |f: &FuncAttr| Ok(FuncAttr { name: f.name.clone(), attrs: bind(&f.attrs, values)? });
    let bound = attrs.iter().map(|(name, value)| {
        let value = match value {
            AttrValue::Placeholder(p) => values
                .get(p)
                .cloned()
                .ok_or_else(|| invalid_argument(format!("attr '{name}' refers to attr '{p}', which the call does not give")))?,
            AttrValue::Func(f) => AttrValue::Func(func(f)?),
            AttrValue::Funcs(fs) => AttrValue::Funcs(fs.iter().map(func).collect::<Result<_>>()?),
            other => other.clone(),
        };
        Ok((name.to_owned(), value))
    });
    bound.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::op::{OpDef, OpSpec, WORDS};
    use ferroflow_tensor::DType;

    const fn op(signature: &'static str, attrs: &'static str) -> OpSpec {
        OpSpec { signature, attrs, ..WORDS }
    }

    static OPS: [OpSpec; 6] = [
        op("_Arg() -> (output: T)", "T: type; index: int >= 0"),
        op("_Retval(input: T) -> ()", "T: type; index: int >= 0"),
        op("NoOp() -> ()", ""),
        op("AddN(inputs: N * T) -> (sum: T)", "N: int >= 1; T: type"),
        op("Split(value: T) -> (output: num_split * T)", "num_split: int >= 1; T: type"),
        op("If(input: Tin) -> (output: Tout)", "Tin: list(type) >= 0; Tout: list(type) >= 0; then_branch: func"),
    ];

    fn node(name: &str, op: &str, inputs: &[&str], attrs: &[(&str, AttrValue)]) -> NodeDef {
        NodeDef {
            name: name.into(),
            op: op.into(),
            inputs: inputs.iter().map(|s| s.to_string()).collect(),
            device: String::new(),
            attrs: attrs.iter().map(|(k, v)| (k.to_string(), v.clone())).collect(),
        }
    }

    fn t() -> AttrValue {
        AttrValue::Placeholder("T".into())
    }

    fn function(signature: &str, nodes: Vec<NodeDef>, ret: &[(&str, &str)]) -> FunctionDef {
        FunctionDef {
            signature: OpDef::parse(signature, "T: type; n: int = 2", "").unwrap(),
            nodes,
            ret: ret.iter().map(|(k, v)| (k.to_string(), v.to_string())).collect(),
            ..Default::default()
        }
    }

    fn body(f: &FunctionDef) -> Result<FunctionBody> {
        let mut library = FunctionLibrary::default();
        library.add(Arc::new(f.clone())).unwrap();
        let attrs = [("T".to_owned(), DType::Float.into()), ("other".to_owned(), true.into())].into_iter().collect();
        instantiate(f, &attrs, &Arc::new(library), &OpRegistry::new(&OPS).unwrap())
    }

    #[test]
    fn lists_and_placeholders_are_expanded() {
        let call = FuncAttr { name: "g".into(), attrs: [("T".to_owned(), t())].into_iter().collect() };
        let none = AttrValue::Types(vec![]);
        let mut f = function(
            "f(xs: n * T, y: T) -> (parts: n * T, total: T)",
            vec![
                node("total", "AddN", &["xs", "y", "part:output:1", "xs:1", "^done"], &[("N", 5i64.into()), ("T", t())]),
                node("part", "Split", &["y"], &[("num_split", AttrValue::Placeholder("n".into())), ("T", t())]),
                node("done", "NoOp", &["^y"], &[]),
                node("branch", "If", &[], &[("Tin", none.clone()), ("Tout", none), ("then_branch", AttrValue::Func(call))]),
            ],
            &[("parts", "part:output"), ("total", "total:sum:0")],
        );
        f.control_ret.insert("end".into(), "done".into());
        f.control_outputs.push("end".into());
        let b = body(&f).unwrap();
        let name = |id: NodeId| b.graph.node(id).info.name.to_string();
        let inputs =
            |id: NodeId| -> Vec<String> { b.graph.node(id).inputs.iter().map(|e| format!("{}:{}", name(e.node), e.index)).collect() };
        assert_eq!(b.args.iter().map(|&a| name(a)).collect::<Vec<_>>(), ["xs_0", "xs_1", "y"]);
        assert_eq!(b.rets.iter().map(|&r| inputs(r)).collect::<Vec<_>>(), [["part:0"], ["part:1"], ["total:0"]]);
        assert_eq!(inputs(b.graph.find("total").unwrap()), ["xs_0:0", "xs_1:0", "y:0", "part:1", "xs_1:0"]);
        assert_eq!(b.control_rets.iter().map(|&r| name(r)).collect::<Vec<_>>(), ["done"]);
        assert_eq!(b.graph.node(b.args[2]).info.attrs.int("index").unwrap(), 2);
        let branch = b.graph.node(b.graph.find("branch").unwrap()).info.clone();
        assert_eq!(branch.attrs.func("then_branch").unwrap().attrs.dtype("T").unwrap(), DType::Float);
    }

    #[test]
    fn a_malformed_body_is_refused_with_the_name_of_the_function() {
        let id = || node("a", "AddN", &["x"], &[("N", 1i64.into()), ("T", t())]);
        let with =
            |nodes, ret: &str| body(&function("f(x: T) -> (y: T)", nodes, &[("y", ret)])).err().map(|e| e.message()).unwrap_or_default();
        assert_eq!(with(vec![id()], "a:sum:0"), "");
        for (nodes, ret, says) in [
            (vec![id()], "a", "input a is not found"),
            (vec![id()], "a:sum:1", "input a:sum:1 is not found"),
            (vec![id()], "a:sum:x", "input a:sum:x is not found"),
            (vec![id()], "a:prod:0", "op AddN has no output 'prod'"),
            (vec![id(), id()], "a:sum:0", "Node 'a' is not unique"),
            (vec![node("x", "NoOp", &[], &[])], "x", "Node 'x' is not unique"),
            (vec![node("a", "Foo", &[], &[])], "x", "Op type not registered 'Foo'"),
            (vec![node("a", "AddN", &["x"], &[("N", 1i64.into()), ("T", AttrValue::Placeholder("U".into()))])], "x", "refers to attr 'U'"),
            (vec![node("a", "AddN", &["x:7"], &[("N", 1i64.into()), ("T", t())])], "x", "input x:7 is not found"),
            (vec![node("a", "AddN", &["^x", "x"], &[("N", 1i64.into()), ("T", t())])], "x", "control inputs must come after data inputs"),
            (vec![node("a", "AddN", &["x", "x"], &[("N", 1i64.into()), ("T", t())])], "x", "do not match 2 inputs specified"),
        ] {
            let e = with(nodes, ret);
            assert!(e.contains(says) && e.starts_with("function 'f': "), "{e}");
        }
        assert!(body(&function("f(x: T) -> (y: T)", vec![], &[])).err().unwrap().message().contains("return y missing"));
    }

    #[test]
    fn recursion_is_found_through_calls_and_attributes() {
        let g = FuncAttr { name: "g".into(), attrs: AttrMap::new() };
        let empty = || AttrValue::Types(vec![]);
        let f = function(
            "f(x: T) -> (y: T)",
            vec![node("a", "If", &[], &[("Tin", empty()), ("Tout", empty()), ("then_branch", AttrValue::Func(g))])],
            &[],
        );
        let g = function("g(x: T) -> (y: T)", vec![node("a", "h", &[], &[])], &[]);
        let h = |calls: &str| function("h(x: T) -> (y: T)", vec![node("a", calls, &[], &[])], &[]);
        let library = |calls| {
            let mut l = FunctionLibrary::default();
            [f.clone(), g.clone(), h(calls)].into_iter().for_each(|f| l.add(Arc::new(f)).unwrap());
            l
        };
        assert_eq!(library("NoOp").recursion("f"), None);
        assert_eq!(library("g").recursion("f").unwrap(), ["g", "h", "g"]);
        assert_eq!(library("f").recursion("f").unwrap(), ["f", "g", "h", "f"]);
    }
}
