//! Whole graphs in and out of a graph under construction (TF: `import_graph_def`, `Graph.as_graph_def`).

use super::state::GraphState;
use super::{Graph, Operation};
use crate::attr::AttrValue;
use crate::function::FunctionDef;
use crate::graph_def::{ToGraphDefOptions, to_graph_def};
use crate::node::{Endpoint, Node, NodeGraph, NodeId, NodeInfo};
use ferroflow_proto as pb;
use ferroflow_tensor::error::invalid_argument;
use ferroflow_tensor::{DeviceSpec, Result};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

impl Graph {
    /// The graph as a message.
    ///
    /// Errors: the first error of building; `InvalidArgument` for a constant that cannot leave the process.
    pub fn to_graph_def(&self) -> Result<pb::GraphDef> {
        to_graph_def(&self.snapshot()?, &ToGraphDefOptions::default())
    }

    /// Adds a function that ops may call by its name or name in their `func` attributes.
    ///
    /// Errors: `InvalidArgument` if a different one has its name.
    pub fn add_function(&self, function: FunctionDef) -> Result<()> {
        Arc::make_mut(&mut self.state().nodes.library).add(Arc::new(function))
    }

    /// Copies all nodes and functions of another graph into this one; returns the operations in the order of the nodes there. With a
    /// prefix, all names start with `prefix/` (made unique); without, they stay as they are. Device scopes in force apply.
    ///
    /// Errors: `InvalidArgument` if a name is taken, a function differs, or an edge is wrong; what shape functions say.
    pub fn import(&self, nodes: &NodeGraph, prefix: &str) -> Result<Vec<Operation>> {
        let order = order(nodes)?;
        let (scope, prefix) = {
            let mut state = self.state();
            if let Some(taken) = nodes.nodes().iter().find(|n| prefix.is_empty() && state.nodes.find(&n.info.name).is_some()) {
                return Err(invalid_argument(format!("Node name '{}' already exists in the Graph", taken.info.name)));
            }
            for f in nodes.library.iter() {
                Arc::make_mut(&mut state.nodes.library).add(f.clone())?;
            }
            for (f, gradient) in nodes.library.gradients() {
                Arc::make_mut(&mut state.nodes.library).set_gradient(f, gradient);
            }
            let full = if prefix.is_empty() {
                String::new()
            } else {
                let name = format!("{}{prefix}", state.scope.name);
                state.unique_name(&name) + "/"
            };
            (state.scope.clone(), full)
        };
        const ABSENT: NodeId = NodeId(u32::MAX);
        let mut ids = vec![ABSENT; nodes.len()];
        for &old in &order {
            let node = nodes.node(old);
            let info = if prefix.is_empty() { node.info.clone() } else { Arc::new(under(&node.info, &prefix)) };
            let device = scope.device(&info, &DeviceSpec::parse(&node.requested_device)?);
            let at = |e: &Endpoint| Endpoint { node: ids[e.node.index()], index: e.index };
            let new = Node {
                inputs: node.inputs.iter().map(at).collect(),
                control_inputs: node.control_inputs.iter().map(|c| ids[c.index()]).collect(),
                requested_device: device.to_string().into(),
                assigned_device: node.assigned_device.clone(),
                info,
            };
            ids[old.index()] = self.state().add_open(new)?;
        }
        // Now that all nodes exist, the edges that close loops.
        let mut state = self.state();
        for &old in &order {
            let back = nodes.node(old).inputs.iter().map(|e| Endpoint { node: ids[e.node.index()], index: e.index }).collect();
            state.nodes.node_mut(ids[old.index()]).inputs = back;
        }
        for id in &ids {
            let node = state.nodes.node(*id);
            state.nodes.validate_node(node).map_err(|e| e.at_node(&node.info.name))?;
        }
        drop(state);
        Ok(ids.into_iter().map(|id| self.operation_at(id)).collect())
    }
}

impl GraphState {
    /// Adds a node of which some inputs may not exist yet; nothing is known of those.
    fn add_open(&mut self, node: Node) -> Result<NodeId> {
        let known = self.infer(&node)?;
        self.names.entry(node.info.name.to_lowercase()).or_insert(1);
        let id = self.nodes.add(node)?;
        self.known.push(known);
        Ok(id)
    }
}

/// The node's constants under a name with this prefix; whom it is placed with has the prefix too.
fn under(info: &NodeInfo, prefix: &str) -> NodeInfo {
    let mut renamed = info.renamed(format!("{prefix}{}", info.name));
    if let Ok(class) = info.attrs.strs("_class") {
        let moved = class.iter().map(|c| match c.strip_prefix(b"loc:@") {
            Some(leader) => [b"loc:@", prefix.as_bytes(), leader].concat().into(),
            None => c.clone(),
        });
        renamed.attrs.insert("_class", AttrValue::Strs(moved.collect()));
    }
    renamed
}

/// The nodes so that all inputs come first, but for the edges from `NextIteration` to `Merge`.
fn order(nodes: &NodeGraph) -> Result<Vec<NodeId>> {
    let exists = |id: NodeId| id.index() < nodes.len();
    let mut pending = vec![0usize; nodes.len()];
    let mut consumers: Vec<Vec<u32>> = vec![Vec::new(); nodes.len()];
    for (id, node) in nodes.iter() {
        for from in node.inputs.iter().map(|e| e.node).chain(node.control_inputs.iter().copied()) {
            if !exists(from) {
                return Err(invalid_argument(format!("an input of node '{}' does not exist", node.info.name)));
            }
            let closes_loop = matches!(node.info.op_name(), "Merge" | "RefMerge")
                && matches!(nodes.node(from).info.op_name(), "NextIteration" | "RefNextIteration");
            if !closes_loop {
                pending[id.index()] += 1;
                consumers[from.index()].push(id.0);
            }
        }
    }
    let mut ready: BinaryHeap<Reverse<u32>> = (0..nodes.len() as u32).filter(|&i| pending[i as usize] == 0).map(Reverse).collect();
    let mut order = Vec::with_capacity(nodes.len());
    while let Some(Reverse(i)) = ready.pop() {
        order.push(NodeId(i));
        for &c in &consumers[i as usize] {
            pending[c as usize] -= 1;
            if pending[c as usize] == 0 {
                ready.push(Reverse(c));
            }
        }
    }
    if order.len() < nodes.len() {
        return Err(invalid_argument(format!("{} nodes in a cycle", nodes.len() - order.len())));
    }
    Ok(order)
}
