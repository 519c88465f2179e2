//! The graph while it is being lowered: nodes are added, and nodes that stand for others are replaced.

use super::Construct;
use crate::rewrite_node::NodeMaker;
use ferroflow_graph::{AttrMap, Endpoint, FuncAttr, FunctionBody, FunctionLibrary, Node, NodeGraph, NodeId, OpRegistry, instantiate};
use ferroflow_tensor::error::{invalid_argument, not_found, resource_exhausted};
use ferroflow_tensor::{DType, DeviceSpec, EdgeType, Result};
use std::collections::{HashMap, HashSet};
use std::rc::Rc;
use std::sync::Arc;

/// Nodes that lowering may add to one step. Functions that call others twice grow exponentially with their depth.
const MOST_NEW_NODES: usize = 250_000;

/// How deep calls within calls are expanded; deeper ones stay calls.
const DEEPEST: usize = 64;

/// Where a node stands.
#[derive(Clone, Default)]
pub(super) struct Context {
    /// A node that runs exactly when the surrounding branch, loop body or function does; none outside of all.
    pub pivot: Option<NodeId>,
    /// The functions that are being expanded around it.
    pub chain: Vec<String>,
    /// Whether the surrounding graph has conditionals or loops of the old kind, so that a node's inputs say whether it runs at all.
    pub gated: bool,
}

/// What a lowered node was replaced by.
struct Replacement {
    /// For each of its outputs.
    outputs: Vec<Endpoint>,
    /// What has run when all of it has.
    after: NodeId,
}

struct Slot {
    node: Node,
    replacement: Option<Replacement>,
}

/// A function's body, and what is worth knowing of it.
pub(super) struct Body {
    pub body: FunctionBody,
    /// Whether it has conditionals or loops of the old kind.
    pub has_switches: bool,
    /// Per node, whether another has it as a control input.
    pub controls: Vec<bool>,
}

impl Body {
    /// What is worth knowing of a body.
    pub fn new(body: FunctionBody) -> Rc<Body> {
        let mut controls = vec![false; body.graph.len()];
        body.graph.nodes().iter().flat_map(|n| &n.control_inputs).for_each(|c| controls[c.index()] = true);
        Rc::new(Body { has_switches: has_switches(&body.graph), controls, body })
    }
}

/// A graph in the making.
pub(super) struct Expansion<'a> {
    registry: &'a Arc<OpRegistry>,
    whole: &'a NodeGraph,
    original: &'a NodeGraph,
    slots: Vec<Slot>,
    names: HashSet<Arc<str>>,
    frames: HashSet<String>,
    bodies: HashMap<String, Rc<Body>>,
}

/// Whether a graph has nodes whose outputs may be dead.
pub(super) fn has_switches(graph: &NodeGraph) -> bool {
    graph.nodes().iter().any(|n| matches!(n.info.op_name(), "Switch" | "RefSwitch" | "_SwitchN" | "Enter" | "RefEnter"))
}

impl<'a> Expansion<'a> {
    pub fn new(graph: &'a NodeGraph, whole: &'a NodeGraph, registry: &'a Arc<OpRegistry>) -> Expansion<'a> {
        let frames = graph.nodes().iter().filter_map(|n| n.info.attrs.str("frame_name").ok().map(str::to_owned));
        Expansion {
            registry,
            whole,
            original: graph,
            slots: graph.nodes().iter().map(|node| Slot { node: node.clone(), replacement: None }).collect(),
            names: graph.nodes().iter().map(|n| n.info.name.clone()).collect(),
            frames: frames.collect(),
            bodies: HashMap::new(),
        }
    }

    pub fn library(&self) -> &'a Arc<FunctionLibrary> {
        &self.original.library
    }

    /// Replaces a node by what it stands for. Returns the nodes that must run for its effects, or `None` if it stays as it is.
    pub fn expand(&mut self, id: NodeId, context: &Context) -> Result<Option<Vec<NodeId>>> {
        let node = &self.slots[id.index()].node;
        let Some(construct) = Construct::of(&node.info, self.library()) else { return Ok(None) };
        let mut recursive = construct.functions().iter().any(|f| context.chain.contains(&f.name));
        if let Construct::Gradient(f) = &construct {
            recursive |= self.library().recursion(&f.name).is_some();
        }
        if recursive || context.chain.len() >= DEEPEST {
            return Ok(None);
        }
        let node = node.clone();
        let expanded = match construct {
            Construct::Call(f) => self.expand_call(id, &node, &f, context),
            Construct::Gradient(f) => self.expand_gradient(id, &node, &f, context),
            Construct::If(branches) => self.expand_branches(id, &node, &branches, &["else", "then"], context),
            Construct::Case(branches) => {
                let names: Vec<String> = (0..branches.len()).map(|k| format!("branch{k}")).collect();
                let names: Vec<&str> = names.iter().map(|n| n.as_str()).collect();
                self.expand_branches(id, &node, &branches, &names, context)
            }
            Construct::While { cond, body } => self.expand_loop(id, &node, &cond, &body, context),
        };
        expanded.map(Some).map_err(|e| e.at_node(&node.info.name))
    }

    /// The body of a function, instantiated once per set of attributes.
    pub fn body(&mut self, function: &FuncAttr) -> Result<Rc<Body>> {
        let key = crate::functions::instance_key(&function.name, &function.attrs);
        if let Some(known) = self.bodies.get(&key) {
            return Ok(known.clone());
        }
        let library = self.library();
        let def = library.get(&function.name).ok_or_else(|| not_found(format!("Function {} is not defined.", function.name)))?;
        let body = instantiate(def, &function.attrs, library, self.registry)?;
        Ok(self.keep_body(key, body))
    }

    /// A body that was kept under this key.
    pub fn known_body(&self, key: &str) -> Option<Rc<Body>> {
        self.bodies.get(key).cloned()
    }

    /// Keeps a body for the next call.
    pub fn keep_body(&mut self, key: String, body: FunctionBody) -> Rc<Body> {
        self.bodies.entry(key).or_insert(Body::new(body)).clone()
    }

    pub fn registry(&self) -> &'a Arc<OpRegistry> {
        self.registry
    }

    /// The id that the next added node gets.
    pub fn next_id(&self) -> NodeId {
        NodeId(self.slots.len() as u32)
    }

    /// Adds a node.
    ///
    /// Errors: `ResourceExhausted` if there are too many.
    pub fn push(&mut self, node: Node) -> Result<NodeId> {
        if self.slots.len() >= self.original.len() + MOST_NEW_NODES {
            return Err(resource_exhausted(format!(
                "the functions that the graph calls expand to more than {MOST_NEW_NODES} nodes; mark some of them _noinline"
            )));
        }
        let id = self.next_id();
        self.slots.push(Slot { node, replacement: None });
        Ok(id)
    }

    /// Adds a node of a registered op.
    pub fn add(&mut self, name: String, op: &str, attrs: AttrMap, inputs: Vec<Endpoint>, at: &Place) -> Result<NodeId> {
        let name = self.unused_name(name);
        let mut node = NodeMaker { registry: self.registry }.node(name, op, attrs, inputs, at.device)?;
        node.assigned_device = "".into();
        node.control_inputs = at.controls.to_vec();
        node.control_inputs.sort_unstable();
        node.control_inputs.dedup();
        self.push(node)
    }

    /// Adds a node of an op over one type `T`.
    pub fn add_typed(&mut self, name: String, op: &str, inputs: Vec<Endpoint>, at: &Place) -> Result<NodeId> {
        let mut attrs = AttrMap::new();
        attrs.insert("T", self.dtype(inputs.first())?);
        if op == "Merge" {
            attrs.insert("N", inputs.len());
        }
        self.add(name, op, attrs, inputs, at)
    }

    /// The condition that a tensor is, as a bool.
    pub fn condition(&mut self, name: String, from: Endpoint, at: &Place) -> Result<Endpoint> {
        if self.dtype(Some(&from))? == DType::Bool {
            return Ok(from);
        }
        Ok(Endpoint { node: self.add_typed(name, "ToBool", vec![from], at)?, index: 0 })
    }

    pub fn dtype(&self, e: Option<&Endpoint>) -> Result<DType> {
        let of =
            |e: &Endpoint| -> Option<EdgeType> { self.slots.get(e.node.index())?.node.info.output_types.get(e.index as usize).copied() };
        e.and_then(of).map(|t| t.dtype).ok_or_else(|| invalid_argument("an input of a function does not exist"))
    }

    /// The device that was requested for a node.
    pub fn requested_device(&self, id: NodeId) -> Arc<str> {
        self.slots.get(id.index()).map_or_else(|| "".into(), |s| s.node.requested_device.clone())
    }

    /// Gives a node one more input, from a node that comes later.
    pub fn connect(&mut self, to: NodeId, from: Endpoint) {
        self.slots[to.index()].node.inputs.push(from);
    }

    /// Puts others in a node's place.
    pub fn replace(&mut self, id: NodeId, outputs: Vec<Endpoint>, after: NodeId) {
        self.slots[id.index()].replacement = Some(Replacement { outputs, after });
    }

    /// A name that neither this graph nor the session's has.
    pub fn unused_name(&mut self, wanted: String) -> Arc<str> {
        let mut name: Arc<str> = wanted.as_str().into();
        let mut n = 0;
        while self.names.contains(&name) || self.whole.find(&name).is_some() {
            n += 1;
            name = format!("{wanted}_{n}").into();
        }
        self.names.insert(name.clone());
        name
    }

    /// A frame name that no loop of this graph has.
    pub fn unused_frame(&mut self, wanted: &str) -> String {
        let mut name = wanted.to_owned();
        let mut n = 0;
        while !self.frames.insert(name.clone()) {
            n += 1;
            name = format!("{wanted}_{n}");
        }
        name
    }

    /// The graph with all edges bent to what replaces their ends, without what `required` does not need.
    pub fn finish(self, required: Vec<NodeId>) -> Result<NodeGraph> {
        let mut needed = vec![false; self.slots.len()];
        let mut open = Vec::new();
        for id in required {
            let id = self.control(id)?;
            if !std::mem::replace(&mut needed[id.index()], true) {
                open.push(id);
            }
        }
        let mut resolved: HashMap<NodeId, (Vec<Endpoint>, Vec<NodeId>)> = HashMap::new();
        while let Some(id) = open.pop() {
            let node = &self.slots[id.index()].node;
            let inputs = node.inputs.iter().map(|e| self.endpoint(*e)).collect::<Result<Vec<_>>>()?;
            let mut controls = node.control_inputs.iter().map(|c| self.control(*c)).collect::<Result<Vec<_>>>()?;
            controls.sort_unstable();
            controls.dedup();
            for from in inputs.iter().map(|e| e.node).chain(controls.iter().copied()) {
                if !std::mem::replace(&mut needed[from.index()], true) {
                    open.push(from);
                }
            }
            resolved.insert(id, (inputs, controls));
        }
        let mut new_ids = vec![NodeId(0); self.slots.len()];
        (0..self.slots.len()).filter(|&i| needed[i]).enumerate().for_each(|(new, old)| new_ids[old] = NodeId(new as u32));
        let mut out = NodeGraph::with_versions(self.original.versions.clone());
        out.library = self.original.library.clone();
        for (i, slot) in self.slots.into_iter().enumerate() {
            let Some((mut inputs, mut controls)) = resolved.remove(&NodeId(i as u32)) else { continue };
            inputs.iter_mut().for_each(|e| e.node = new_ids[e.node.index()]);
            controls.iter_mut().for_each(|c| *c = new_ids[c.index()]);
            out.add(Node { inputs, control_inputs: controls, ..slot.node })?;
        }
        out.validate()?;
        Ok(out)
    }

    /// Where an endpoint's tensor really comes from.
    fn endpoint(&self, mut e: Endpoint) -> Result<Endpoint> {
        // A malformed body may return what it is given round in a circle.
        for _ in 0..=self.slots.len() {
            match &self.slots[e.node.index()].replacement {
                None => return Ok(e),
                Some(r) => e = *r.outputs.get(e.index as usize).ok_or_else(|| self.circle(e.node))?,
            }
        }
        Err(self.circle(e.node))
    }

    /// The node that really stands for a control input.
    fn control(&self, mut id: NodeId) -> Result<NodeId> {
        for _ in 0..=self.slots.len() {
            match &self.slots[id.index()].replacement {
                None => return Ok(id),
                Some(r) => id = r.after,
            }
        }
        Err(self.circle(id))
    }

    fn circle(&self, id: NodeId) -> ferroflow_tensor::Error {
        invalid_argument(format!("Graph is invalid, contains a cycle through {}", self.slots[id.index()].node.info.name))
    }
}

/// Where an added node is, and what it waits for.
pub(super) struct Place<'p> {
    pub device: &'p Arc<str>,
    pub controls: &'p [NodeId],
}

/// The device of a body's node that is called from a node of another: what the body leaves open is the caller's.
pub(super) fn merged_device(caller: &Arc<str>, inner: &Arc<str>) -> Result<Arc<str>> {
    Ok(match (caller.is_empty(), inner.is_empty()) {
        (true, _) => inner.clone(),
        (_, true) => caller.clone(),
        _ => DeviceSpec::parse(caller)?.overridden_by(&DeviceSpec::parse(inner)?).to_string().into(),
    })
}
