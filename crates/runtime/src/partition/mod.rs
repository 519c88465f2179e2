//! Cutting a placed graph into one graph per task, or per device (TF: `Partition`).
//!
//! An edge that is cut becomes a `_Send` on one side and a `_Recv` on the other, one pair per output and destination. A cut
//! control edge carries an empty tensor. A cut reference is read on the sending side. Loops that span several parts get a
//! small loop of their own in each part, which starts the part's receives once per iteration; see [`control_loops`].

mod control_loops;
mod cut;
mod frames;

use ferroflow_graph::{NodeGraph, OpRegistry};
use ferroflow_tensor::Result;
use ferroflow_tensor::error::invalid_argument;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

/// How to cut.
pub struct PartitionOptions<'a> {
    /// The part that nodes of a device belong to: the device's task, or the device itself.
    pub part_of: &'a dyn Fn(&str) -> Result<Arc<str>>,
    /// The incarnation of a device.
    pub incarnation: &'a dyn Fn(&str) -> Result<u64>,
    /// A name that no node of the session has, made from a given one (TF's masters append `_S<n>`, workers `_G<n>`).
    pub new_name: &'a mut dyn FnMut(&str) -> String,
    /// The ops to cut with.
    pub registry: &'a OpRegistry,
}

/// The task part of a full device name, `/job:ps/replica:0/task:1`.
///
/// Errors: `InvalidArgument` if the name has no device part.
pub fn task_of(device: &str) -> Result<Arc<str>> {
    match device.find("/device:") {
        Some(end) if end > 0 => Ok(device[..end].into()),
        _ => Err(invalid_argument(format!("'{device}' is not a full device name"))),
    }
}

/// Cuts the graph. Every node must have an assigned device.
///
/// Errors: `InvalidArgument` for a node without device, or edges between loop frames that no loop can have.
pub fn partition(graph: &NodeGraph, mut options: PartitionOptions) -> Result<BTreeMap<Arc<str>, NodeGraph>> {
    let parts = part_by_device(graph, &options)?;
    if parts.values().collect::<HashSet<_>>().len() <= 1 {
        return Ok(parts.into_values().next().map(|part| (part, graph.clone())).into_iter().collect());
    }
    let mut whole = graph.clone();
    let mut frames = frames::Frames::of(&whole)?;
    let mut triggers = HashMap::new();
    if frames.has_loops() {
        frames.move_loop_ends(&mut whole);
        triggers = control_loops::add(&mut whole, &mut frames, &parts, &mut options)?;
    }
    let mut pieces = cut::cut(&whole, &frames, &parts, &triggers, &mut options)?;
    for piece in pieces.values_mut() {
        if !graph.library.is_empty() {
            piece.library = Arc::new(graph.library.reachable_from(piece));
        }
        piece.versions = graph.versions.clone();
        piece.validate()?;
    }
    Ok(pieces)
}

/// The part of every device that occurs.
fn part_by_device(graph: &NodeGraph, options: &PartitionOptions) -> Result<HashMap<Arc<str>, Arc<str>>> {
    let mut parts: HashMap<Arc<str>, Arc<str>> = HashMap::new();
    for node in graph.nodes() {
        if node.assigned_device.is_empty() {
            return Err(invalid_argument(format!("Node '{}' is missing a device specification", node.info.name)));
        }
        if !parts.contains_key(&node.assigned_device) {
            let part = (options.part_of)(&node.assigned_device).map_err(|e| e.at_node(&node.info.name))?;
            parts.insert(node.assigned_device.clone(), part);
        }
    }
    Ok(parts)
}

#[cfg(test)]
mod tests;
