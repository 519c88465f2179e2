//! `StepStatsCollector`: when each node of a step ran and what it produced (TF: `StepStatsCollector`, filled for `FULL_TRACE`).

use ferroflow_graph::NodeInfo;
use ferroflow_graph::kernel::Outputs;
use ferroflow_tensor::{DType, Shape};
use parking_lot::Mutex;
use std::sync::Arc;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

/// One output of a node that ran.
#[derive(Clone, Debug)]
pub struct OutputStats {
    /// Which output.
    pub slot: usize,
    /// Element type.
    pub dtype: DType,
    /// Shape.
    pub shape: Shape,
    /// Bytes of its elements; 0 for strings and handles.
    pub num_bytes: usize,
}

/// One run of a node. Times are of one clock per collector.
#[derive(Clone, Debug)]
pub struct NodeStats {
    /// Full name of the device.
    pub device: Arc<str>,
    /// Name of the node.
    pub node: Arc<str>,
    /// What a timeline shows: `name = Op(inputs)`.
    pub label: String,
    /// When its kernel was called, nanoseconds since 1970.
    pub start_nanos: u64,
    /// How long until its outputs were there.
    pub elapsed_nanos: u64,
    /// A small number per thread that ran nodes.
    pub thread: u32,
    /// What it produced.
    pub outputs: Vec<OutputStats>,
}

/// Collects the runs of all nodes of a step; shared by the executors of the step.
pub struct StepStatsCollector {
    origin: Instant,
    origin_nanos: u64,
    state: Mutex<Collected>,
}

#[derive(Default)]
struct Collected {
    nodes: Vec<NodeStats>,
    threads: Vec<std::thread::ThreadId>,
}

impl Default for StepStatsCollector {
    fn default() -> StepStatsCollector {
        StepStatsCollector::new()
    }
}

impl StepStatsCollector {
    /// An empty collector.
    pub fn new() -> StepStatsCollector {
        let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        StepStatsCollector { origin: Instant::now(), origin_nanos: since_1970.as_nanos() as u64, state: Mutex::default() }
    }

    /// What was collected so far, by time of start; the collector is empty afterwards.
    pub fn take(&self) -> Vec<NodeStats> {
        let mut nodes = std::mem::take(&mut self.state.lock().nodes);
        nodes.sort_by_key(|n| n.start_nanos);
        nodes
    }

    /// Adds a run that began at `start` and ends now.
    pub(crate) fn add(&self, device: &Arc<str>, node: &NodeInfo, label: &str, start: Instant, outputs: &Outputs) {
        let now = Instant::now();
        // A variable that has no value yet tells nothing.
        let outputs = outputs.iter().enumerate().filter_map(|(slot, o)| {
            let t = o.as_ref()?.to_tensor().ok()?;
            Some(OutputStats { slot, dtype: t.dtype(), shape: t.shape().clone(), num_bytes: t.num_bytes() })
        });
        let outputs = outputs.collect();
        let start_nanos = self.origin_nanos + start.saturating_duration_since(self.origin).as_nanos() as u64;
        let elapsed_nanos = now.saturating_duration_since(start).as_nanos() as u64;
        let mut state = self.state.lock();
        let id = std::thread::current().id();
        let thread = state.threads.iter().position(|t| *t == id).unwrap_or_else(|| {
            state.threads.push(id);
            state.threads.len() - 1
        }) as u32;
        state.nodes.push(NodeStats {
            device: device.clone(),
            node: node.name.clone(),
            label: label.to_owned(),
            start_nanos,
            elapsed_nanos,
            thread,
            outputs,
        });
    }
}
