//! `NodeGraph`: the dataflow graph that masters prune, place and partition and that executors run (TF: `Graph`, `Node`, `Edge`).
//!
//! What never changes about a node (name, op, attributes, types) is shared in a [`NodeInfo`], so that pruned and
//! partitioned graphs cost a few words per node.

use crate::attr::AttrMap;
use crate::function::FunctionLibrary;
use crate::op::Op;
use ferroflow_tensor::error::{invalid_argument, not_found};
use ferroflow_tensor::{EdgeType, Result};
use std::collections::HashMap;
use std::sync::Arc;

/// What is fixed about a node.
pub struct NodeInfo {
    /// Unique in its graph.
    pub name: Arc<str>,
    /// Its op.
    pub op: Arc<Op>,
    /// Its attributes, defaults filled in.
    pub attrs: AttrMap,
    /// One per data input.
    pub input_types: Vec<EdgeType>,
    /// One per output.
    pub output_types: Vec<EdgeType>,
}

impl NodeInfo {
    /// Completes and checks the attributes against the op's definition.
    ///
    /// Errors: `InvalidArgument` naming the node and the attribute.
    pub fn new(name: impl Into<Arc<str>>, op: Arc<Op>, mut attrs: AttrMap) -> Result<NodeInfo> {
        let name = name.into();
        let checked = op.def.complete(&mut attrs).and_then(|()| op.def.arity(&attrs));
        let arity = checked.map_err(|e| e.at_node(&name))?;
        Ok(NodeInfo { name, op, attrs, input_types: arity.inputs, output_types: arity.outputs })
    }

    /// The same node under another name.
    pub fn renamed(&self, name: impl Into<Arc<str>>) -> NodeInfo {
        NodeInfo {
            name: name.into(),
            op: self.op.clone(),
            attrs: self.attrs.clone(),
            input_types: self.input_types.clone(),
            output_types: self.output_types.clone(),
        }
    }

    /// The op's name.
    pub fn op_name(&self) -> &str {
        &self.op.def.name
    }
}

/// Index of a node in its graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(pub u32);

impl NodeId {
    /// As an index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// One output of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Endpoint {
    /// The producing node.
    pub node: NodeId,
    /// Which of its outputs.
    pub index: u32,
}

/// A node and its edges.
#[derive(Clone)]
pub struct Node {
    /// Name, op, attributes, types.
    pub info: Arc<NodeInfo>,
    /// Where each data input comes from.
    pub inputs: Vec<Endpoint>,
    /// Nodes that must have run before.
    pub control_inputs: Vec<NodeId>,
    /// The device that the client asked for; may be partial or empty.
    pub requested_device: Arc<str>,
    /// The full name of the device that the placer chose; empty before placement.
    pub assigned_device: Arc<str>,
}

/// Versions of a graph (TF: `VersionDef`).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Versions {
    /// Version of the producer.
    pub producer: i32,
    /// Least version of a consumer.
    pub min_consumer: i32,
    /// Consumers that must refuse the graph.
    pub bad_consumers: Vec<i32>,
}

impl Versions {
    /// Those of the graphs that we make.
    pub fn current() -> Versions {
        Versions { producer: crate::graph_def::GRAPH_DEF_VERSION, ..Default::default() }
    }
}

/// A dataflow graph. Nodes are never removed; smaller graphs are made by copying nodes.
#[derive(Clone, Default)]
pub struct NodeGraph {
    nodes: Vec<Node>,
    by_name: HashMap<Arc<str>, NodeId>,
    /// Functions that nodes may call.
    pub library: Arc<FunctionLibrary>,
    /// Versions of producer and consumer.
    pub versions: Versions,
}

impl NodeGraph {
    /// An empty graph.
    pub fn new() -> NodeGraph {
        NodeGraph::default()
    }

    /// An empty graph of these versions.
    pub fn with_versions(versions: Versions) -> NodeGraph {
        NodeGraph { versions, ..NodeGraph::default() }
    }

    /// Appends a node. Inputs may refer to nodes that come later (back edges of loops); [`NodeGraph::validate`] checks them.
    ///
    /// Errors: `InvalidArgument` if the name is taken.
    pub fn add(&mut self, node: Node) -> Result<NodeId> {
        let id = NodeId(u32::try_from(self.nodes.len()).map_err(|_| invalid_argument("the graph has too many nodes"))?);
        if self.by_name.insert(node.info.name.clone(), id).is_some() {
            return Err(invalid_argument(format!("Node '{}' is not unique", node.info.name)));
        }
        self.nodes.push(node);
        Ok(id)
    }

    /// Makes room for this many more nodes.
    pub fn reserve(&mut self, additional: usize) {
        self.nodes.reserve(additional);
        self.by_name.reserve(additional);
    }

    /// All nodes in the order in which they were added.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// All nodes with their ids.
    pub fn iter(&self) -> impl Iterator<Item = (NodeId, &Node)> {
        self.nodes.iter().enumerate().map(|(i, n)| (NodeId(i as u32), n))
    }

    /// How many nodes there are.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// A node.
    ///
    /// # Panics
    /// If the id is of another, larger graph.
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.index()]
    }

    /// A node to change; its name must stay.
    ///
    /// # Panics
    /// If the id is of another, larger graph.
    pub fn node_mut(&mut self, id: NodeId) -> &mut Node {
        &mut self.nodes[id.index()]
    }

    /// The node of this name.
    pub fn find(&self, name: &str) -> Option<NodeId> {
        self.by_name.get(name).copied()
    }

    /// The endpoint that `name` or `name:index` denotes.
    ///
    /// Errors: `NotFound` for an unknown node, `InvalidArgument` for an index that it has not.
    pub fn endpoint(&self, text: &str) -> Result<Endpoint> {
        let (name, index) = parse_tensor_name(text)?;
        let node = self.find(name).ok_or_else(|| not_found(format!("node {text}: not found")))?;
        let outputs = self.node(node).info.output_types.len();
        if index as usize >= outputs {
            return Err(invalid_argument(format!("{text}: output index too large, must be < {outputs}")));
        }
        Ok(Endpoint { node, index })
    }

    /// The type of an endpoint.
    ///
    /// # Panics
    /// If the endpoint is of another graph.
    pub fn endpoint_type(&self, e: Endpoint) -> EdgeType {
        self.node(e.node).info.output_types[e.index as usize]
    }

    /// Checks that every edge starts at an existing output of the type that its end expects.
    ///
    /// Errors: `InvalidArgument` naming both ends.
    pub fn validate(&self) -> Result<()> {
        self.nodes.iter().try_for_each(|n| self.validate_node(n))
    }

    /// Checks the edges into one node; see [`NodeGraph::validate`].
    ///
    /// Errors: `InvalidArgument` naming both ends.
    pub fn validate_node(&self, node: &Node) -> Result<()> {
        let name = &node.info.name;
        if node.inputs.len() != node.info.input_types.len() {
            return Err(invalid_argument(format!(
                "NodeDef expected inputs {:?} do not match {} inputs specified; Op<name={}>; NodeDef: {{{{node {name}}}}}",
                node.info.input_types,
                node.inputs.len(),
                node.info.op_name()
            )));
        }
        for (i, (&source, &want)) in node.inputs.iter().zip(&node.info.input_types).enumerate() {
            let Some(from) = self.nodes.get(source.node.index()) else {
                return Err(invalid_argument(format!("Node '{name}': input {i} comes from a node that does not exist")));
            };
            let Some(&have) = from.info.output_types.get(source.index as usize) else {
                return Err(invalid_argument(format!(
                    "Node '{name}': Connecting to invalid output {} of source node {} which has {} outputs.",
                    source.index,
                    from.info.name,
                    from.info.output_types.len()
                )));
            };
            if have.dtype != want.dtype || want.is_ref && !have.is_ref {
                return Err(invalid_argument(format!(
                    "Input {i} of node {name} was passed {have} from {}:{} incompatible with expected {want}.",
                    from.info.name, source.index
                )));
            }
        }
        if node.control_inputs.iter().any(|c| c.index() >= self.nodes.len()) {
            return Err(invalid_argument(format!("Node '{name}': a control input does not exist")));
        }
        Ok(())
    }
}

/// Splits `name:index`; `name` alone means index 0.
///
/// Errors: `InvalidArgument` for an index that is no number.
pub fn parse_tensor_name(text: &str) -> Result<(&str, u32)> {
    match text.rsplit_once(':') {
        None => Ok((text, 0)),
        Some((name, index)) if !index.is_empty() && index.bytes().all(|b| b.is_ascii_digit()) => {
            let index = index.parse().map_err(|_| invalid_argument(format!("{text}: output index too large")))?;
            Ok((name, index))
        }
        Some(_) => Ok((text, 0)),
    }
}
