//! Times of nodes from TF's message; the other direction is `ferroflow_distributed::step_stats_to_proto`.

use ferroflow_distributed::{CostGraph, PartitionGraph};
use ferroflow_graph::{ToGraphDefOptions, to_graph_def};
use ferroflow_proto as pb;
use ferroflow_runtime::{NodeStats, OutputStats};
use ferroflow_tensor::error::internal;
use ferroflow_tensor::{DType, Result, shape_from_proto};

/// What nodes cost, if anything is known.
pub(crate) fn cost_graph(costs: CostGraph) -> Option<pb::CostGraphDef> {
    (!costs.nodes.is_empty()).then(|| pb::CostGraphDef { node: costs.nodes, cost: Vec::new() })
}

/// A graph that ran, ours written out, another task's as it came.
pub(crate) fn partition_graph(graph: &PartitionGraph) -> Result<pb::GraphDef> {
    match graph {
        PartitionGraph::Nodes(graph) => to_graph_def(graph, &ToGraphDefOptions::default()),
        PartitionGraph::Encoded(bytes) => {
            let read: std::result::Result<pb::GraphDef, _> = prost::Message::decode(bytes.clone());
            read.map_err(|e| internal(format!("cannot read the graph that a task ran: {e}")))
        }
    }
}

/// Graphs that ran elsewhere.
pub(crate) fn encoded_graphs(graphs: &[pb::GraphDef]) -> Vec<PartitionGraph> {
    graphs.iter().map(|g| PartitionGraph::Encoded(prost::Message::encode_to_vec(g).into())).collect()
}

/// What a task recorded. Outputs whose type or shape is not known are left out.
pub(crate) fn from_proto(stats: pb::StepStats) -> Vec<NodeStats> {
    let mut nodes = Vec::new();
    for device in stats.dev_stats {
        let name: std::sync::Arc<str> = device.device.into();
        nodes.extend(device.node_stats.into_iter().map(|n| node(&name, n)));
    }
    nodes
}

fn node(device: &std::sync::Arc<str>, n: pb::NodeExecStats) -> NodeStats {
    let nanos = |nanos: i64, micros: i64| u64::try_from(if nanos > 0 { nanos } else { micros.saturating_mul(1000) }).unwrap_or(0);
    NodeStats {
        device: device.clone(),
        node: n.node_name.into(),
        label: n.timeline_label,
        start_nanos: nanos(n.all_start_nanos, n.all_start_micros),
        elapsed_nanos: nanos(n.all_end_rel_nanos, n.all_end_rel_micros),
        thread: n.thread_id,
        outputs: n.output.into_iter().filter_map(output).collect(),
    }
}

fn output(o: pb::NodeOutput) -> Option<OutputStats> {
    let tensor = o.tensor_description?;
    let bytes = tensor.allocation_description.map_or(0, |a| a.requested_bytes);
    Some(OutputStats {
        slot: usize::try_from(o.slot).ok()?,
        dtype: DType::from_proto_base(tensor.dtype).ok()?,
        shape: shape_from_proto(&tensor.shape?).ok()?,
        num_bytes: usize::try_from(bytes).unwrap_or(0),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use ferroflow_distributed::step_stats_to_proto;
    use ferroflow_tensor::Shape;

    #[test]
    fn what_is_written_is_read_back() {
        let outputs = vec![OutputStats { slot: 1, dtype: DType::Float, shape: Shape::new(&[2]).unwrap(), num_bytes: 8 }];
        let stats = NodeStats {
            device: "/job:ps/replica:0/task:0/device:CPU:0".into(),
            node: "x".into(),
            label: "x = NoOp()".into(),
            start_nanos: 1_700_000_000_123_456_789,
            elapsed_nanos: 42_000,
            thread: 3,
            outputs,
        };
        let back = from_proto(step_stats_to_proto(std::slice::from_ref(&stats)));
        assert_eq!(format!("{back:?}"), format!("{:?}", [stats]));
    }
}
