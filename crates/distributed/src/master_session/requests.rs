//! What clients ask of a session and what they get.

use crate::cost_graph::CostGraph;
use crate::master::GraphSource;
use crate::worker_interface::PartitionGraph;
use ferroflow_runtime::NodeStats;
use ferroflow_tensor::Tensor;
use std::time::Duration;

pub use ferroflow_runtime::prune::{Signature, TensorConnection};

/// Options of one run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RunOptions {
    /// Record when each node ran, on all tasks (TF: `FULL_TRACE`).
    pub trace: bool,
    /// After how long the run ends with `DeadlineExceeded`; `None`: as the session's options say.
    pub timeout: Option<Duration>,
    /// Return the graphs that ran, one per device.
    pub output_partition_graphs: bool,
}

/// One run of a session's graph.
#[derive(Clone, Default)]
pub struct RunRequest {
    /// Values by tensor name.
    pub feeds: Vec<(String, Tensor)>,
    /// Tensors to return.
    pub fetches: Vec<String>,
    /// Nodes to run.
    pub targets: Vec<String>,
    /// Options.
    pub options: RunOptions,
    /// The partial run that this continues; empty for a whole run.
    pub partial_run_handle: String,
    /// Random; the same again is refused. 0 is not checked.
    pub request_id: i64,
}

/// What a run returns.
#[derive(Clone, Default)]
pub struct RunResponse {
    /// The fetched tensors, in the order of the request.
    pub fetches: Vec<Tensor>,
    /// What was recorded, if that was asked for.
    pub metadata: RunMetadata,
}

/// What was recorded of a run.
#[derive(Clone, Default)]
pub struct RunMetadata {
    /// When each node ran, and the transfers between tasks.
    pub stats: Vec<NodeStats>,
    /// What the nodes cost, for the runs of which the session's options want it.
    pub costs: CostGraph,
    /// The graphs that ran, one per device.
    pub partition_graphs: Vec<PartitionGraph>,
}

/// A run with fixed feeds and fetches, in this order.
#[derive(Clone, Debug, Default)]
pub struct CallableOptions {
    /// Feeds, fetches and targets.
    pub signature: Signature,
    /// Options of each run.
    pub options: RunOptions,
}

/// Adds to a session's graph.
pub struct ExtendRequest {
    /// What to add.
    pub graph: GraphSource,
    /// The version that the client believes the session to have.
    pub current_version: i64,
}
