//! What is recorded of steps for tracing clients: times of nodes, and transfers between tasks (TF: `StepStats`, `LoggingRequest`).

use ferroflow_graph::kernel::{Received, RendezvousKey};
use ferroflow_proto as pb;
use ferroflow_runtime::NodeStats;
use parking_lot::Mutex;
use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

/// Node times as TF's message, grouped by device.
pub(crate) fn step_stats(nodes: &[NodeStats]) -> pb::StepStats {
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

/// Transfers of steps while somebody has recording switched on.
#[derive(Default)]
pub(super) struct TransferLog {
    /// How many masters want it.
    wanted: AtomicUsize,
    steps: Mutex<HashMap<i64, Vec<(String, pb::NodeExecStats)>>>,
}

/// Steps that are remembered at most: a master that dies never fetches its own.
const MOST_STEPS: usize = 64;

impl TransferLog {
    pub(super) fn add(&self, step_id: i64, key: &str, received: &Received) {
        if self.wanted.load(Ordering::Relaxed) == 0 {
            return;
        }
        let Ok(key) = RendezvousKey::parse(key) else { return };
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let bytes = received.tensor.num_bytes();
        let stats = pb::NodeExecStats {
            node_name: "RecvTensor".to_owned(),
            all_start_micros: now.as_micros() as i64,
            op_end_rel_micros: 1,
            all_end_rel_micros: 1,
            all_start_nanos: now.as_nanos() as i64,
            timeline_label: format!("[{bytes}B] {} from {} to {}", key.tensor_name, key.send_device, key.recv_device),
            ..Default::default()
        };
        let mut steps = self.steps.lock();
        if steps.len() >= MOST_STEPS && !steps.contains_key(&step_id) {
            return;
        }
        steps.entry(step_id).or_default().push((key.send_device.to_string(), stats));
    }

    pub(super) fn answer(&self, request: &pb::LoggingRequest) -> pb::LoggingResponse {
        if request.enable_rpc_logging {
            self.wanted.fetch_add(1, Ordering::Relaxed);
        }
        let mut response = pb::LoggingResponse::default();
        let mut steps = self.steps.lock();
        for id in &request.fetch_step_id {
            let Some(transfers) = steps.remove(id) else { continue };
            let mut devices: BTreeMap<String, Vec<pb::NodeExecStats>> = BTreeMap::new();
            transfers.into_iter().for_each(|(device, stats)| devices.entry(device).or_default().push(stats));
            let dev_stats = devices
                .into_iter()
                .map(|(device, node_stats)| pb::DeviceStepStats { device, node_stats, ..Default::default() })
                .collect();
            response.step.push(pb::LabeledStepStats { step_id: *id, step_stats: Some(pb::StepStats { dev_stats }) });
        }
        if request.disable_rpc_logging {
            let left = self.wanted.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |n| n.checked_sub(1)).unwrap_or(1) - 1;
            if left == 0 {
                steps.clear();
            }
        }
        if request.clear {
            steps.clear();
        }
        response
    }
}
