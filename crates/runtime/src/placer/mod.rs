//! The simple placer: which device runs each node of a client's graph (TF: `Placer`).
//!
//! Constraints come first: what the client asked for, colocation groups, reference and resource edges, which device types
//! have a kernel. Among the devices that are left the first wins: accelerators before CPUs, devices of the master's own
//! task before others. Two rules save transfers: a node without inputs goes to its consumers, and an op that only looks
//! at a tensor's shape goes to the tensor.

mod candidates;
mod colocation;

use candidates::Candidates;
use colocation::Groups;
use ferroflow_graph::{Node, NodeGraph, NodeId};
use ferroflow_tensor::{DeviceSpec, Result};
use std::collections::HashMap;
use std::sync::Arc;

/// A device that nodes can be placed on.
#[derive(Clone, Debug)]
pub struct PlacerDevice {
    /// Full name.
    pub name: Arc<str>,
    /// The parsed name.
    pub spec: DeviceSpec,
    /// Whether it belongs to the master's own task.
    pub is_local: bool,
}

impl PlacerDevice {
    /// A device of this full name.
    pub fn new(spec: DeviceSpec, is_local: bool) -> PlacerDevice {
        PlacerDevice { name: spec.to_string().into(), spec, is_local }
    }

    fn device_type(&self) -> &str {
        self.spec.device_type.as_deref().unwrap_or("")
    }
}

/// Where stateful nodes were placed before, by name. Their state is there, so they stay when the graph is extended.
pub type Pins = HashMap<Arc<str>, Arc<str>>;

/// Places graphs on a set of devices.
pub struct Placer {
    /// In the order of preference.
    devices: Vec<PlacerDevice>,
    allow_soft_placement: bool,
}

impl Placer {
    /// A placer over these devices. With `allow_soft_placement` a device type or number that cannot be had is not insisted on.
    pub fn new(mut devices: Vec<PlacerDevice>, allow_soft_placement: bool) -> Placer {
        let rank = |d: &PlacerDevice| match d.device_type() {
            "GPU" => 0,
            "CPU" => 2,
            _ => 1,
        };
        devices.sort_by(|a, b| (rank(a), !a.is_local, &a.name).cmp(&(rank(b), !b.is_local, &b.name)));
        Placer { devices, allow_soft_placement }
    }

    /// Assigns a device to every node. Nodes that have one keep it; `pins` bind others, and stateful nodes are added to them.
    ///
    /// Errors: `InvalidArgument` in TF's words, naming the node, what was asked for and what there is.
    pub fn place(&self, graph: &mut NodeGraph, pins: &mut Pins) -> Result<()> {
        for id in (0..graph.len() as u32).map(NodeId) {
            let node = graph.node(id);
            if node.assigned_device.is_empty()
                && let Some(device) = pins.get(&node.info.name)
            {
                let device = device.clone();
                graph.node_mut(id).assigned_device = device;
            }
        }
        let groups = Groups::of(graph, self.allow_soft_placement)?;
        let mut candidates = Candidates::new(&self.devices, self.allow_soft_placement);
        let consumers = consumers(graph);
        let mut postponed = Vec::new();
        for id in (0..graph.len() as u32).map(NodeId) {
            let node = graph.node(id);
            if !node.assigned_device.is_empty() {
                continue;
            }
            let root = groups.root(id);
            let devices = candidates.of_group(graph, &groups, root, id)?;
            let alone = groups.members(root).len() == 1;
            if alone && is_generator(node) && !consumers[id.index()].is_empty() {
                postponed.push(id);
                continue;
            }
            let follows = (alone && is_metadata(node))
                .then(|| graph.node(node.inputs[0].node).assigned_device.clone())
                .filter(|d| devices.iter().any(|c| c.name == *d));
            let Some(first) = devices.first() else { continue };
            let device = follows.unwrap_or_else(|| first.name.clone());
            graph.node_mut(id).assigned_device = device;
        }
        for id in postponed {
            let root = groups.root(id);
            let devices = candidates.of_group(graph, &groups, root, id)?;
            let mut wanted = consumers[id.index()].iter().map(|c| &graph.node(*c).assigned_device);
            let first = wanted.next().filter(|d| !d.is_empty()).cloned();
            let common = first.filter(|d| wanted.all(|w| w == d)).filter(|d| devices.iter().any(|c| c.name == *d));
            if let Some(device) = common.or_else(|| devices.first().map(|d| d.name.clone())) {
                graph.node_mut(id).assigned_device = device;
            }
        }
        for node in graph.nodes() {
            if node.info.op.def.is_stateful {
                pins.insert(node.info.name.clone(), node.assigned_device.clone());
            }
            tracing::trace!(node = %node.info.name, op = node.info.op_name(), device = %node.assigned_device, "placed");
        }
        Ok(())
    }
}

/// Whether a node makes a tensor out of nothing, such as a constant: it costs nothing to make it where it is used.
fn is_generator(node: &Node) -> bool {
    node.inputs.is_empty() && node.control_inputs.is_empty() && matches!(&node.info.output_types[..], [t] if !t.is_ref)
}

/// Whether a node looks at a tensor's shape only.
fn is_metadata(node: &Node) -> bool {
    matches!(node.info.op_name(), "Shape" | "Size" | "Rank") && node.inputs.len() == 1
}

fn consumers(graph: &NodeGraph) -> Vec<Vec<NodeId>> {
    let mut consumers = vec![Vec::new(); graph.len()];
    for (id, node) in graph.iter() {
        for from in node.inputs.iter().map(|e| e.node).chain(node.control_inputs.iter().copied()) {
            if let Some(list) = consumers.get_mut(from.index()) {
                list.push(id);
            }
        }
    }
    consumers
}

#[cfg(test)]
mod tests;
