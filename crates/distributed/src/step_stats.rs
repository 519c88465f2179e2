//! Times of nodes as TF's message (TF: `StepStats`); a codec edge.

use ferroflow_proto as pb;
use ferroflow_runtime::NodeStats;
use std::collections::BTreeMap;

/// Node times as TF's message, grouped by device.
pub fn step_stats_to_proto(nodes: &[NodeStats]) -> pb::StepStats {
    let mut devices: BTreeMap<&str, Vec<pb::NodeExecStats>> = BTreeMap::new();
    for n in nodes {
        devices.entry(&n.device).or_default().push(node_stats(n));
    }
    let dev_stats = devices
        .into_iter()
        .map(|(device, node_stats)| pb::DeviceStepStats { device: device.to_owned(), node_stats, ..Default::default() })
        .collect();
    pb::StepStats { dev_stats }
}

fn node_stats(n: &NodeStats) -> pb::NodeExecStats {
    let (start, elapsed) = (n.start_nanos as i64, n.elapsed_nanos as i64);
    let output = |o: &ferroflow_runtime::OutputStats| pb::NodeOutput {
        slot: o.slot as i32,
        tensor_description: Some(pb::TensorDescription {
            dtype: o.dtype.to_proto(),
            shape: Some(ferroflow_tensor::shape_to_proto(&o.shape)),
            allocation_description: Some(pb::AllocationDescription {
                requested_bytes: o.num_bytes as i64,
                allocated_bytes: o.num_bytes as i64,
                allocator_name: "cpu".to_owned(),
                ..Default::default()
            }),
        }),
    };
    pb::NodeExecStats {
        node_name: n.node.to_string(),
        all_start_micros: start / 1000,
        op_start_rel_micros: 0,
        op_end_rel_micros: (elapsed / 1000).max(1),
        all_end_rel_micros: (elapsed / 1000).max(1),
        all_start_nanos: start,
        op_start_rel_nanos: 0,
        op_end_rel_nanos: elapsed,
        all_end_rel_nanos: elapsed,
        scheduled_micros: start / 1000,
        scheduled_nanos: start,
        timeline_label: n.label.clone(),
        thread_id: n.thread,
        output: n.outputs.iter().map(output).collect(),
        ..Default::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_are_grouped_by_device_and_keep_their_order() {
        let node = |device: &str, name: &str| NodeStats {
            device: device.into(),
            node: name.into(),
            label: format!("{name} = NoOp()"),
            start_nanos: 5_000,
            elapsed_nanos: 10,
            thread: 1,
            outputs: vec![],
        };
        let stats = step_stats_to_proto(&[node("b", "x"), node("a", "y"), node("b", "z")]);
        let names: Vec<(&str, Vec<&str>)> =
            stats.dev_stats.iter().map(|d| (d.device.as_str(), d.node_stats.iter().map(|n| n.node_name.as_str()).collect())).collect();
        assert_eq!(names, [("a", vec!["y"]), ("b", vec!["x", "z"])]);
        assert_eq!(stats.dev_stats[0].node_stats[0].all_start_micros, 5);
        assert_eq!(stats.dev_stats[0].node_stats[0].op_end_rel_micros, 1, "never nothing, or timelines hide it");
    }
}
