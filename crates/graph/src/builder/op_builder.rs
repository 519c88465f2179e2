//! `OpBuilder`: one node in the making. Types and counts are inferred from the inputs where the definition allows it.

use super::{Graph, Operation, Output};
use crate::attr::{AttrMap, AttrValue};
use crate::node::{Endpoint, Node, NodeId, NodeInfo};
use crate::op::{ArgType, Op, OpDef, WORDS};
use ferroflow_tensor::error::invalid_argument;
use ferroflow_tensor::{DType, DeviceSpec, EdgeType, Error, Result};
use std::panic::Location;
use std::sync::Arc;

enum Input {
    One(Output),
    List(Vec<Output>),
}

/// A node that could not be added.
struct Failed {
    graph: Graph,
    at: &'static Location<'static>,
}

impl Failed {
    /// Something to go on with: nothing of a graph with an error is ever run.
    fn with(self, error: Error) -> Operation {
        let Failed { graph, at } = self;
        let mut state = graph.state();
        state.error.get_or_insert_with(|| error.context(format!("{}:{}", at.file(), at.line())));
        if state.nodes.is_empty() {
            let op = Arc::new(Op { def: OpDef { name: "NoOp".to_owned(), ..OpDef::default() }, spec: &WORDS });
            let info = NodeInfo { name: "error".into(), op, attrs: AttrMap::new(), input_types: vec![], output_types: vec![] };
            let nothing: Arc<str> = "".into();
            let node = Node {
                info: Arc::new(info),
                inputs: vec![],
                control_inputs: vec![],
                requested_device: nothing.clone(),
                assigned_device: nothing,
            };
            if state.add(node).is_err() {
                unreachable!("a node without inputs can always be added to an empty graph");
            }
        }
        drop(state);
        Operation { graph, id: NodeId(0) }
    }
}

/// A node in the making; see [`Graph::op`].
pub struct OpBuilder {
    graph: Graph,
    op: String,
    name: Option<String>,
    inputs: Vec<Input>,
    attrs: AttrMap,
    control: Vec<NodeId>,
    device: DeviceSpec,
    colocate: Vec<String>,
    at: &'static Location<'static>,
}

impl OpBuilder {
    #[track_caller]
    pub(super) fn new(graph: &Graph, op: &str) -> OpBuilder {
        OpBuilder {
            graph: graph.clone(),
            op: op.to_owned(),
            name: None,
            inputs: Vec::new(),
            attrs: AttrMap::new(),
            control: Vec::new(),
            device: DeviceSpec::default(),
            colocate: Vec::new(),
            at: Location::caller(),
        }
    }

    /// Its name inside the name scope; by default the op's.
    pub fn name(mut self, name: impl Into<String>) -> OpBuilder {
        self.name = Some(name.into());
        self
    }

    /// The next input.
    pub fn input(mut self, input: impl Into<Output>) -> OpBuilder {
        self.inputs.push(Input::One(input.into()));
        self
    }

    /// The next inputs, one argument each.
    pub fn inputs(mut self, inputs: impl IntoIterator<Item = Output>) -> OpBuilder {
        self.inputs.extend(inputs.into_iter().map(Input::One));
        self
    }

    /// The next input, an argument that stands for a list of tensors.
    pub fn input_list(mut self, inputs: impl IntoIterator<Item = Output>) -> OpBuilder {
        self.inputs.push(Input::List(inputs.into_iter().collect()));
        self
    }

    /// An attribute.
    pub fn attr(mut self, name: &str, value: impl Into<AttrValue>) -> OpBuilder {
        self.attrs.insert(name, value);
        self
    }

    /// Runs after this operation.
    pub fn control_input(mut self, op: &Operation) -> OpBuilder {
        self.control.push(op.id());
        self
    }

    /// Asked for on this device, beside what the device scopes say.
    pub fn device(mut self, device: DeviceSpec) -> OpBuilder {
        self.device = device;
        self
    }

    /// Placed with this operation.
    pub fn colocate_with(mut self, op: &Operation) -> OpBuilder {
        self.colocate.push(op.name());
        self
    }

    /// Adds the node. An error becomes the graph's, and an operation is returned that can be used further.
    pub fn build(self) -> Operation {
        let failed = Failed { graph: self.graph.clone(), at: self.at };
        match self.try_build() {
            Ok(op) => op,
            Err(e) => failed.with(e),
        }
    }

    /// Makes an error the graph's instead of adding the node; see [`OpBuilder::build`].
    pub fn fail(self, error: Error) -> Operation {
        Failed { graph: self.graph, at: self.at }.with(error)
    }

    /// Errors of this node are reported at another source line than that of [`Graph::op`].
    pub fn at(mut self, at: &'static Location<'static>) -> OpBuilder {
        self.at = at;
        self
    }

    /// Adds the node and returns its first output.
    pub fn output(self) -> Output {
        self.build().output(0)
    }

    /// Adds the node.
    ///
    /// Errors: `NotFound` for an unknown op, `InvalidArgument` for inputs or attributes that do not fit it.
    pub fn try_build(mut self) -> Result<Operation> {
        // The lock is not held while device functions run: they may look at the graph.
        let (op, mut scope, name) = {
            let mut state = self.graph.state();
            let op = match (state.registry.get(&self.op), state.nodes.library.get(&self.op)) {
                (Ok(op), _) => op.clone(),
                (Err(_), Some(function)) => Arc::new(Op::call_of(function)),
                (Err(e), None) => return Err(e),
            };
            let base = self.name.clone().unwrap_or_else(|| self.op.clone());
            check_name(&base)?;
            // `scope/` is the name of a scope, which is taken already and stands for itself.
            let name = match base.strip_suffix('/') {
                Some(scope) => scope.to_owned(),
                None => {
                    let full = format!("{}{base}", state.scope.name);
                    state.unique_name(&full)
                }
            };
            (op, state.scope.clone(), name)
        };
        let endpoints = self.flatten(&op)?;
        infer_seed(&self.graph, &op.def, &mut self.attrs);
        if !self.colocate.is_empty() {
            scope.colocate.append(&mut self.colocate);
        }
        if !scope.colocate.is_empty() {
            let mut groups: Vec<String> = scope.colocate.iter().map(|c| format!("loc:@{c}")).collect();
            groups.sort();
            groups.dedup();
            self.attrs.insert("_class", groups);
        }
        let info = NodeInfo::new(name, op, self.attrs)?;
        let mut device = scope.device(&info, &self.device);
        if let Some(leader) = scope.colocate.first()
            && let Ok(leader) = self.graph.operation(leader)
        {
            device = DeviceSpec::parse(&leader.device())?;
        }
        let mut control = self.control;
        control.extend(scope.control.iter().filter(|c| !endpoints.iter().any(|e| e.node == **c)));
        control.sort();
        control.dedup();
        let node = Node {
            info: Arc::new(info),
            inputs: endpoints,
            control_inputs: control,
            requested_device: device.to_string().into(),
            assigned_device: "".into(),
        };
        let id = self.graph.state().add(node)?;
        Ok(Operation { graph: self.graph, id })
    }

    /// Lines the inputs up with the arguments and infers type and number attributes from them.
    fn flatten(&mut self, op: &Op) -> Result<Vec<Endpoint>> {
        let args = &op.def.inputs;
        if self.inputs.len() != args.len() {
            return Err(invalid_argument(format!("{} takes {} arguments, got {}", op.def.name, args.len(), self.inputs.len())));
        }
        let mut endpoints = Vec::new();
        for (arg, input) in args.iter().zip(&self.inputs) {
            let list: &[Output] = match input {
                Input::One(o) => std::slice::from_ref(o),
                Input::List(l) => l,
            };
            if let Some(o) = list.iter().find(|o| !o.graph().same(&self.graph)) {
                return Err(invalid_argument(format!("input {o:?} of {} is of another graph", op.def.name)));
            }
            let types: Vec<DType> = list.iter().map(|o| o.dtype()).collect();
            let mut infer = |name: &str, value: AttrValue| {
                if !self.attrs.contains(name) {
                    self.attrs.insert(name, value);
                }
            };
            if let Some(number) = &arg.number_attr {
                infer(number, AttrValue::Int(list.len() as i64));
            }
            match (&arg.ty, types.first()) {
                (ArgType::Attr(name), Some(&t)) => infer(name, t.into()),
                (ArgType::ListAttr(name), _) => infer(name, AttrValue::Types(types.into_iter().map(EdgeType::value).collect())),
                _ => {}
            }
            endpoints.extend(list.iter().map(|o| o.endpoint()));
        }
        Ok(endpoints)
    }
}

/// Seeds of random ops, as TF derives them from the graph's seed and the op's.
fn infer_seed(graph: &Graph, def: &OpDef, attrs: &mut AttrMap) {
    if def.attr("seed").is_none() || def.attr("seed2").is_none() || attrs.contains("seed2") {
        return;
    }
    const DEFAULT_GRAPH_SEED: i64 = 87654321;
    let mut state = graph.state();
    let own = attrs.int("seed").ok();
    let (seed, seed2) = match (state.seed, own) {
        (None, None) => (0, 0),
        (None, Some(own)) => (DEFAULT_GRAPH_SEED, own),
        (Some(g), Some(own)) => (g, own),
        (Some(g), None) => {
            let k = state.seeded_ops;
            state.seeded_ops += 1;
            (g, k)
        }
    };
    let both_zero = (seed, seed2) == (0, 0) && (state.seed.is_some() || own.is_some());
    attrs.insert("seed", seed);
    attrs.insert("seed2", if both_zero { i32::MAX as i64 } else { seed2 });
}

fn check_name(name: &str) -> Result<()> {
    let mut chars = name.chars();
    let good = chars.next().is_some_and(|c| c.is_ascii_alphanumeric() || c == '.' || c == '_')
        && chars.all(|c| c.is_ascii_alphanumeric() || "_.\\-/>".contains(c));
    if good { Ok(()) } else { Err(invalid_argument(format!("'{name}' is not a valid node name"))) }
}
