//! Writes a `GraphDef`.

use super::attr::attrs_to_proto;
use super::function::library_to_proto;
use crate::node::{Endpoint, Node, NodeGraph, NodeId};
use ferroflow_proto as pb;
use ferroflow_tensor::Result;
use ferroflow_tensor::error::internal;

/// How a `GraphDef` is to be written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ToGraphDefOptions {
    /// Write the devices that the client asked for, also where the placer has chosen one.
    pub requested_devices: bool,
    /// Leave out functions that no node can reach.
    pub only_reachable_functions: bool,
}

/// Writes a graph. Constants of plain types share their memory with the message.
///
/// Errors: `Internal` if an edge starts at no node; `InvalidArgument` for a constant that cannot leave the process.
pub fn to_graph_def(graph: &NodeGraph, options: &ToGraphDefOptions) -> Result<pb::GraphDef> {
    let library = if graph.library.is_empty() {
        None
    } else if options.only_reachable_functions {
        Some(library_to_proto(&graph.library.reachable_from(graph))?)
    } else {
        Some(library_to_proto(&graph.library)?)
    };
    let versions = pb::VersionDef {
        producer: graph.versions.producer,
        min_consumer: graph.versions.min_consumer,
        bad_consumers: graph.versions.bad_consumers.clone(),
    };
    Ok(pb::GraphDef {
        node: graph.nodes().iter().map(|n| node_def(graph, n, options)).collect::<Result<_>>()?,
        library: library.filter(|l| !l.function.is_empty()),
        versions: Some(versions),
        ..Default::default()
    })
}

fn node_def(graph: &NodeGraph, node: &Node, options: &ToGraphDefOptions) -> Result<pb::NodeDef> {
    let name_of = |id: NodeId| match graph.nodes().get(id.index()) {
        Some(n) => Ok(&*n.info.name),
        None => Err(internal(format!("an input of node '{}' is no node of the graph", node.info.name))),
    };
    let mut input = Vec::with_capacity(node.inputs.len() + node.control_inputs.len());
    for &Endpoint { node: from, index } in &node.inputs {
        let name = name_of(from)?;
        input.push(if index == 0 { name.to_owned() } else { format!("{name}:{index}") });
    }
    for &from in &node.control_inputs {
        input.push(format!("^{}", name_of(from)?));
    }
    let device = if options.requested_devices || node.assigned_device.is_empty() { &node.requested_device } else { &node.assigned_device };
    Ok(pb::NodeDef {
        name: node.info.name.to_string(),
        op: node.info.op_name().to_owned(),
        input,
        device: device.to_string(),
        attr: attrs_to_proto(&node.info.attrs)?,
        ..Default::default()
    })
}
