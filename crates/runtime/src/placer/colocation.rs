//! Groups of nodes that must share a device (TF: `ColocationGraph`): by `_class` attributes, reference and resource edges.

use crate::lower::is_lowered;
use ferroflow_graph::{Node, NodeGraph, NodeId};
use ferroflow_tensor::{DType, DeviceSpec, Error, Result};
use std::collections::HashMap;

/// Ops that may take a resource from one device and work on another.
fn is_exempt(op: &str) -> bool {
    matches!(op, "IdentityN" | "PartitionedCall" | "StatefulPartitionedCall" | "MapDataset" | "ParallelMapDataset" | "FlatMapDataset")
        || matches!(op, "InterleaveDataset" | "ParallelInterleaveDatasetV2" | "FilterDataset" | "GeneratorDataset" | "ReduceDataset")
}

/// Disjoint sets of nodes, each with the device that its members ask for together.
pub(super) struct Groups {
    parent: Vec<u32>,
    requested: Vec<DeviceSpec>,
    members: HashMap<NodeId, Vec<NodeId>>,
    soft: bool,
}

impl Groups {
    /// Finds the groups.
    ///
    /// Errors: `InvalidArgument` for a malformed device name, or if members ask for different tasks.
    pub fn of(graph: &NodeGraph, soft: bool) -> Result<Groups> {
        let mut requested = Vec::with_capacity(graph.len());
        // Many nodes share a few device names.
        let mut parsed: HashMap<&str, DeviceSpec> = HashMap::new();
        for node in graph.nodes() {
            let name: &str = &node.requested_device;
            if !parsed.contains_key(name) {
                parsed.insert(name, DeviceSpec::parse(name).map_err(|e| malformed(node, e))?);
            }
            requested.push(parsed[name].clone());
        }
        let mut groups = Groups { parent: (0..graph.len() as u32).collect(), requested, members: HashMap::new(), soft };
        // In TF's order: a node that asks for another device than its state gives way before its classes are looked at.
        groups.join_edges(graph)?;
        groups.join_classes(graph)?;
        for i in 0..graph.len() as u32 {
            let root = groups.root(NodeId(i));
            groups.members.entry(root).or_default().push(NodeId(i));
        }
        Ok(groups)
    }

    fn join_classes(&mut self, graph: &NodeGraph) -> Result<()> {
        let mut by_class: HashMap<&str, NodeId> = HashMap::new();
        for (id, node) in graph.iter() {
            let classes = node.info.attrs.strs("_class").unwrap_or(&[]);
            for class in classes.iter().filter_map(|c| std::str::from_utf8(c).ok()?.strip_prefix("loc:@")) {
                // A class is named after a node; in a rewritten graph the node may be gone.
                let leader = by_class.get(class).copied().or_else(|| graph.find(class)).unwrap_or(id);
                by_class.entry(class).or_insert(leader);
                self.join(graph, leader, id, false)?;
            }
        }
        Ok(())
    }

    fn join_edges(&mut self, graph: &NodeGraph) -> Result<()> {
        // What is replaced by the nodes that it stands for never runs itself; those nodes go to their resources one by one.
        let lowered = |node: &Node| is_lowered(&node.info, &graph.library);
        for (id, node) in graph.iter() {
            if is_exempt(node.info.op_name()) || lowered(node) {
                continue;
            }
            for (e, want) in node.inputs.iter().zip(&node.info.input_types) {
                let Some(source) = graph.nodes().get(e.node.index()) else { continue };
                let Some(have) = source.info.output_types.get(e.index as usize) else { continue };
                let bound =
                    want.is_ref && have.is_ref || have.dtype == DType::Resource && !is_exempt(source.info.op_name()) && !lowered(source);
                if bound {
                    self.join(graph, e.node, id, true)?;
                }
            }
        }
        Ok(())
    }

    /// Joins two groups. Where `source_wins`, a conflict is settled for `a`, the owner of the state, instead of failing.
    fn join(&mut self, graph: &NodeGraph, a: NodeId, b: NodeId, source_wins: bool) -> Result<()> {
        let (ra, rb) = (self.root(a), self.root(b));
        if ra == rb {
            return Ok(());
        }
        let (first, second) = (&self.requested[ra.index()], &self.requested[rb.index()]);
        let merged = match first.merged(second, self.soft) {
            Ok(merged) => merged,
            Err(conflict) if source_wins => {
                tracing::debug!(
                    node = %graph.node(b).info.name, owner = %graph.node(a).info.name, %conflict,
                    "the device of the state that a node uses overrides the device that it asks for"
                );
                first.clone()
            }
            Err(conflict) if self.soft => {
                tracing::info!(
                    node = %graph.node(b).info.name, other = %graph.node(a).info.name, %conflict,
                    "two nodes that are to share a device ask for different tasks: they stay apart"
                );
                return Ok(());
            }
            Err(conflict) => {
                let (a, b) = (&graph.node(a).info.name, &graph.node(b).info.name);
                return Err(conflict.context(format!("Cannot colocate nodes {{{{colocation_node {b}}}}} and {{{{colocation_node {a}}}}}")));
            }
        };
        self.requested[ra.index()] = merged;
        self.parent[rb.index()] = ra.0;
        Ok(())
    }

    /// The node that stands for the group of `id`.
    pub fn root(&self, id: NodeId) -> NodeId {
        let mut i = id.0;
        while self.parent[i as usize] != i {
            i = self.parent[i as usize];
        }
        NodeId(i)
    }

    /// The members of the group that `root` stands for.
    pub fn members(&self, root: NodeId) -> &[NodeId] {
        self.members.get(&root).map_or(&[], |m| m)
    }

    /// What the members ask for together.
    pub fn requested(&self, root: NodeId) -> &DeviceSpec {
        &self.requested[root.index()]
    }
}

fn malformed(node: &Node, error: Error) -> Error {
    error.at_node(&node.info.name)
}
