//! Reads a `GraphDef` (TF: `GraphConstructor`).

use super::attr::{Budget, attrs_from_proto};
use super::cycle::refuse_cycles;
use super::function::add_to_library;
use crate::node::{Endpoint, Node, NodeGraph, NodeId, NodeInfo, Versions, parse_tensor_name};
use crate::op::{Op, OpRegistry};
use ferroflow_proto as pb;
use ferroflow_tensor::error::{invalid_argument, resource_exhausted};
use ferroflow_tensor::{Error, Result};
use std::collections::HashMap;
use std::sync::Arc;

/// The version of `GraphDef` that we produce and understand: TF 2.21's.
pub const GRAPH_DEF_VERSION: i32 = 2474;

/// The release of TensorFlow that [`GRAPH_DEF_VERSION`] belongs to; named in messages.
const RELEASE: &str = "2.21.0";

/// Outputs that all nodes of one message may have together. A few bytes (`num_split`) can stand for a million outputs.
const MAX_OUTPUTS: usize = 1 << 24;

/// How a `GraphDef` is to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FromGraphDefOptions {
    /// Whether node names may start with `_`: those that masters make for workers do, clients' may not.
    pub internal_names: bool,
    /// Whether the nodes' devices were chosen by a placer already, and not just requested by a client.
    pub devices_are_assigned: bool,
}

impl FromGraphDefOptions {
    /// For a graph of a client.
    pub const CLIENT: FromGraphDefOptions = FromGraphDefOptions { internal_names: false, devices_are_assigned: false };
    /// For a graph that a master registers with a worker.
    pub const WORKER: FromGraphDefOptions = FromGraphDefOptions { internal_names: true, devices_are_assigned: true };
}

/// Reads a graph of whatever origin: internal names are allowed and devices are those requested.
///
/// Errors: `InvalidArgument` naming the node for anything malformed; `NotFound` for an op that is neither registered nor in the graph's
/// library; `ResourceExhausted` if the message is small and what it describes is huge.
pub fn from_graph_def(def: &pb::GraphDef, registry: &OpRegistry) -> Result<NodeGraph> {
    from_graph_def_with(def, registry, FromGraphDefOptions { internal_names: true, devices_are_assigned: false })
}

/// As [`from_graph_def`], with options.
///
/// Errors: as [`from_graph_def`].
pub fn from_graph_def_with(def: &pb::GraphDef, registry: &OpRegistry, options: FromGraphDefOptions) -> Result<NodeGraph> {
    let mut graph = NodeGraph::new();
    append(&mut graph, def, registry, options)?;
    Ok(graph)
}

/// Adds a client's further nodes and functions to the graph of its session (TF: `ExtendSession`). After an error the graph is as before.
///
/// Errors: `InvalidArgument` if a node exists already; as [`from_graph_def`] otherwise.
pub fn extend(graph: &mut NodeGraph, def: &pb::GraphDef, registry: &OpRegistry, options: FromGraphDefOptions) -> Result<()> {
    if let Some(known) = def.node.iter().find(|n| graph.find(&n.name).is_some()) {
        return Err(invalid_argument(format!(
            "GraphDef argument to Extend includes node '{}', which was created by a previous call to Create or Extend in this session.",
            known.name
        )));
    }
    let mut extended = graph.clone();
    append(&mut extended, def, registry, options)?;
    *graph = extended;
    Ok(())
}

/// Whether we may read a graph of these versions.
///
/// Errors: `InvalidArgument` in TF's words.
pub fn check_versions(versions: &pb::VersionDef) -> Result<()> {
    if versions.producer < 0 {
        return Err(invalid_argument(format!(
            "GraphDef producer version {} below min producer 0 supported by TensorFlow {RELEASE}.  Please regenerate your graph.",
            versions.producer
        )));
    }
    if versions.min_consumer > GRAPH_DEF_VERSION {
        return Err(invalid_argument(format!(
            "GraphDef min consumer version {} above current version {GRAPH_DEF_VERSION} for TensorFlow {RELEASE}.  Please upgrade TensorFlow.",
            versions.min_consumer
        )));
    }
    if versions.bad_consumers.contains(&GRAPH_DEF_VERSION) {
        return Err(invalid_argument(format!(
            "GraphDef disallows consumer version {GRAPH_DEF_VERSION}.  Please upgrade TensorFlow: this version is likely buggy."
        )));
    }
    Ok(())
}

/// On an error the graph is left half extended.
fn append(graph: &mut NodeGraph, def: &pb::GraphDef, registry: &OpRegistry, options: FromGraphDefOptions) -> Result<()> {
    let mut budget = Budget::new();
    if let Some(versions) = &def.versions {
        check_versions(versions)?;
        if graph.is_empty() {
            graph.versions = Versions {
                producer: versions.producer,
                min_consumer: versions.min_consumer,
                bad_consumers: versions.bad_consumers.clone(),
            };
        }
    }
    if let Some(library) = &def.library
        && !(library.function.is_empty() && library.gradient.is_empty())
    {
        add_to_library(Arc::make_mut(&mut graph.library), library, &mut budget)?;
    }
    let first = graph.len();
    add_nodes(graph, def, registry, options, &mut budget)?;
    for (i, p) in def.node.iter().enumerate() {
        let (inputs, control_inputs) = edges(graph, p)?;
        let node = graph.node_mut(NodeId((first + i) as u32));
        (node.inputs, node.control_inputs) = (inputs, control_inputs);
    }
    graph.nodes()[first..].iter().try_for_each(|n| graph.validate_node(n).map_err(|e| e.at_node(&n.info.name)))?;
    refuse_cycles(graph)
}

/// Adds the nodes without their edges, which may lead forwards.
fn add_nodes(
    graph: &mut NodeGraph,
    def: &pb::GraphDef,
    registry: &OpRegistry,
    options: FromGraphDefOptions,
    budget: &mut Budget,
) -> Result<()> {
    graph.reserve(def.node.len());
    let nothing: Arc<str> = "".into();
    let mut devices: HashMap<&str, Arc<str>> = HashMap::new();
    let mut functions: HashMap<&str, Arc<Op>> = HashMap::new();
    let mut outputs = 0;
    for p in &def.node {
        if !is_valid_name(&p.name, options.internal_names) {
            return Err(invalid_argument(format!("Node '{}': Node name contains invalid characters", p.name)));
        }
        let op = match registry.get(&p.op) {
            Ok(op) => op.clone(),
            Err(e) => match (functions.get(p.op.as_str()), graph.library.get(&p.op)) {
                (Some(op), _) => op.clone(),
                (None, Some(f)) => functions.entry(&p.op).or_insert(Arc::new(Op::call_of(f))).clone(),
                (None, None) => return Err(e.at_node(&p.name)),
            },
        };
        let attrs = attrs_from_proto(&p.attr, budget).map_err(|e| e.at_node(&p.name))?;
        let info = NodeInfo::new(p.name.as_str(), op, attrs)?;
        outputs += info.output_types.len();
        if outputs > MAX_OUTPUTS {
            return Err(resource_exhausted(format!("the nodes of the graph have more than {MAX_OUTPUTS} outputs")).at_node(&p.name));
        }
        let device = if p.device.is_empty() { &nothing } else { devices.entry(&p.device).or_insert_with(|| p.device.as_str().into()) };
        graph.add(Node {
            info: Arc::new(info),
            inputs: Vec::new(),
            control_inputs: Vec::new(),
            requested_device: device.clone(),
            assigned_device: if options.devices_are_assigned { device.clone() } else { nothing.clone() },
        })?;
    }
    Ok(())
}

fn edges(graph: &NodeGraph, p: &pb::NodeDef) -> Result<(Vec<Endpoint>, Vec<NodeId>)> {
    let wrong = |what: String| -> Error { invalid_argument(format!("Node '{}': {what}", p.name)) };
    let controls = p.input.iter().rev().take_while(|i| i.starts_with('^')).count();
    let (data, control) = p.input.split_at(p.input.len() - controls);
    let mut inputs = Vec::with_capacity(data.len());
    for text in data {
        if text.starts_with('^') {
            return Err(wrong("Control dependencies must come after regular dependencies".to_owned()));
        }
        let (name, index) = parse_tensor_name(text).map_err(|e| e.context(format_args!("Node '{}'", p.name)))?;
        let node = graph.find(name).ok_or_else(|| wrong(format!("Unknown input node '{text}'")))?;
        inputs.push(Endpoint { node, index });
    }
    let mut before = Vec::with_capacity(control.len());
    for text in control {
        let node = graph.find(&text[1..]).ok_or_else(|| wrong(format!("Unknown input node '{text}'")))?;
        before.push(node);
    }
    if before.len() > 1 {
        // Naming one twice is allowed and means nothing.
        before.sort_unstable();
        before.dedup();
    }
    Ok((inputs, before))
}

/// `[A-Za-z0-9.][A-Za-z0-9_.\\/>-]*`; internal names may also start with `_`.
fn is_valid_name(name: &str, internal: bool) -> bool {
    let bytes = name.as_bytes();
    bytes.first().is_some_and(|&b| b.is_ascii_alphanumeric() || b == b'.' || internal && b == b'_')
        && bytes.iter().all(|&b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'\\' | b'/' | b'>' | b'-'))
}
