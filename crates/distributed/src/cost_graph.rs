//! `CostGraph`: what the nodes of a task's graphs cost when they ran (TF: `CostModel`, `CostGraphDef`, asked for by
//! `graph_options.build_cost_model`).
//!
//! Numbers of nodes are those of their graph, after TensorFlow's two nodes for its beginning and its end; the graphs of several devices
//! follow each other, each with numbers of its own.

use ferroflow_graph::{Node, NodeGraph};
use ferroflow_proto as pb;
use ferroflow_runtime::{NodeStats, OutputStats};
use ferroflow_tensor::{EdgeType, Shape, shape_to_proto};
use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::Arc;

/// The nodes of one or more graphs with their costs.
#[derive(Clone, Debug, Default)]
pub struct CostGraph {
    /// All nodes, graph by graph.
    pub nodes: Vec<pb::cost_graph_def::Node>,
}

/// What one node was seen to cost.
#[derive(Default)]
struct Cost {
    nanos: u64,
    outputs: Vec<OutputStats>,
}

/// What the nodes of one graph were seen to cost so far; the most of every node is kept, as TensorFlow does.
#[derive(Default)]
pub(crate) struct CostModel {
    seen: Mutex<HashMap<Arc<str>, Cost>>,
}

/// Ops that keep their output.
const KEEPERS: [&str; 4] = ["Const", "Variable", "VariableV2", "TemporaryVariable"];
/// The numbers of the beginning and the end of a graph.
const SOURCE: i32 = 0;
const SINK: i32 = 1;
/// What the number of a node is above its index.
const FIRST: usize = 2;

impl CostModel {
    /// Adds what a run of the graph took on its device.
    pub fn add<'a>(&self, stats: impl Iterator<Item = &'a NodeStats>) {
        let mut seen = self.seen.lock();
        for s in stats {
            let cost = seen.entry(s.node.clone()).or_default();
            cost.nanos = cost.nanos.max(s.elapsed_nanos);
            cost.outputs.clone_from(&s.outputs);
        }
    }

    /// The graph with the costs seen so far.
    pub fn describe(&self, graph: &NodeGraph) -> Vec<pb::cost_graph_def::Node> {
        let seen = self.seen.lock();
        let mut is_used = vec![false; graph.len()];
        for node in graph.nodes() {
            let sources = node.inputs.iter().map(|e| e.node).chain(node.control_inputs.iter().copied());
            sources.for_each(|s| is_used.get_mut(s.index()).into_iter().for_each(|u| *u = true));
        }
        let finals = is_used.iter().enumerate().filter(|(_, used)| !**used).map(|(i, _)| number(i));
        let end = pb::cost_graph_def::Node {
            name: "_SINK".into(),
            id: SINK,
            control_input: std::iter::once(SOURCE).chain(finals).collect(),
            ..Default::default()
        };
        let mut nodes = vec![pb::cost_graph_def::Node { name: "_SOURCE".into(), id: SOURCE, ..Default::default() }, end];
        nodes.extend(graph.nodes().iter().enumerate().map(|(i, n)| describe(i, n, !is_used[i], seen.get(&n.info.name))));
        nodes
    }
}

/// The number of a node.
fn number(index: usize) -> i32 {
    i32::try_from(index + FIRST).unwrap_or(i32::MAX)
}

fn describe(index: usize, node: &Node, is_final: bool, cost: Option<&Cost>) -> pb::cost_graph_def::Node {
    use pb::cost_graph_def::node::InputInfo;
    let input = |e: &ferroflow_graph::Endpoint| InputInfo {
        preceding_node: number(e.node.index()),
        preceding_port: i32::try_from(e.index).unwrap_or(i32::MAX),
    };
    let outputs = cost.map_or(&[][..], |c| &c.outputs);
    let mut control_input: Vec<i32> = node.control_inputs.iter().map(|c| number(c.index())).collect();
    if node.inputs.is_empty() && control_input.is_empty() {
        control_input.push(SOURCE);
    }
    let keeps = KEEPERS.contains(&node.info.op_name());
    pb::cost_graph_def::Node {
        name: node.info.name.to_string(),
        device: node.assigned_device.to_string(),
        id: number(index),
        input_info: node.inputs.iter().map(input).collect(),
        output_info: node
            .info
            .output_types
            .iter()
            .enumerate()
            .map(|(slot, t)| output(*t, outputs.iter().find(|o| o.slot == slot)))
            .collect(),
        is_final,
        control_input,
        compute_cost: cost.map_or(0, |c| i64::try_from(c.nanos.div_ceil(1000)).unwrap_or(i64::MAX)),
        persistent_memory_size: if keeps { outputs.iter().map(|o| o.num_bytes as i64).sum() } else { 0 },
        ..Default::default()
    }
}

fn output(declared: EdgeType, seen: Option<&OutputStats>) -> pb::cost_graph_def::node::OutputInfo {
    let unknown = || pb::TensorShapeProto { unknown_rank: true, ..Default::default() };
    let shape = |s: &Shape| shape_to_proto(s);
    pb::cost_graph_def::node::OutputInfo {
        size: seen.map_or(-1, |o| o.num_bytes as i64),
        alias_input_port: -1,
        shape: Some(seen.map_or_else(unknown, |o| shape(&o.shape))),
        dtype: seen.map_or(0, |_| declared.to_proto()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::graph;
    use ferroflow_tensor::{DType, Tensor};

    fn stats(node: &str, elapsed_nanos: u64) -> NodeStats {
        let outputs = vec![OutputStats { slot: 0, dtype: DType::Float, shape: Shape::new(&[2]).unwrap(), num_bytes: 8 }];
        NodeStats { device: "d".into(), node: node.into(), label: "".into(), start_nanos: 1, elapsed_nanos, thread: 0, outputs }
    }

    #[test]
    fn nodes_keep_the_most_they_were_seen_to_cost() {
        let g = graph();
        let one = g.op("Const").name("one").attr("dtype", DType::Float).attr("value", Tensor::vector(&[1f32, 2.0]).unwrap()).output();
        g.op("Add").name("sum").inputs([one.clone(), one]).build();
        let graph = g.snapshot().unwrap();
        let model = CostModel::default();
        model.add([stats("one", 4_500), stats("one", 1)].iter());
        let nodes = model.describe(&graph);
        let told: Vec<(&str, i32, i64, bool)> = nodes.iter().map(|n| (&*n.name, n.id, n.compute_cost, n.is_final)).collect();
        assert_eq!(told, [("_SOURCE", 0, 0, false), ("_SINK", 1, 0, false), ("one", 2, 5, false), ("sum", 3, 0, true)]);
        assert_eq!((nodes[1].control_input.as_slice(), nodes[2].control_input.as_slice()), (&[0, 3][..], &[0][..]));
        assert_eq!((nodes[2].persistent_memory_size, nodes[2].output_info[0].size), (8, 8));
        assert_eq!((nodes[3].input_info[1].preceding_node, nodes[3].output_info[0].size), (2, -1), "it never ran");
    }
}
