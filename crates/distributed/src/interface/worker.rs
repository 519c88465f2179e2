//! `WorkerInterface`: what a master or another worker asks of a task.

use super::{CallOptions, Callback};
use ferroflow_graph::NodeGraph;
use ferroflow_graph::kernel::Received;
use ferroflow_proto as pb;
use ferroflow_tensor::Tensor;
use std::sync::Arc;

/// A device as its task reports it (TF: `DeviceAttributes`).
#[derive(Clone, Debug, PartialEq)]
pub struct DeviceAttributes {
    /// Full name.
    pub name: String,
    /// `CPU`, …
    pub device_type: String,
    /// Bytes of memory.
    pub memory_limit: i64,
    /// Random number of the process's instance of the device.
    pub incarnation: u64,
}

/// Makes a session known at a worker.
#[derive(Clone, Debug, Default)]
pub struct CreateWorkerSessionRequest {
    /// Handle that the master chose.
    pub session_handle: String,
    /// The cluster, name and configuration to use, where they differ from the server's own. A cluster without jobs means the server's own.
    pub server_def: Option<pb::ServerDef>,
    /// Whether the session shares no variables with others.
    pub isolate_session_state: bool,
    /// Devices of the whole cluster.
    pub cluster_device_attributes: Vec<DeviceAttributes>,
    /// The master's task name; empty from masters before TF 2.
    pub master_task: String,
    /// The master's incarnation.
    pub master_incarnation: i64,
}

/// Gives a worker the part of a graph that it will run.
#[derive(Clone)]
pub struct RegisterGraphRequest {
    /// The session.
    pub session_handle: String,
    /// False from masters before TF 1.4, which create no worker sessions.
    pub create_worker_session_called: bool,
    /// Nodes with full device names.
    pub graph: Arc<NodeGraph>,
    /// Configuration of the session.
    pub config: Arc<pb::ConfigProto>,
    /// Key of the collective ops, 0 if there are none.
    pub collective_graph_key: i64,
}

/// What to record of a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ExecutorOptions {
    /// Costs of nodes.
    pub record_costs: bool,
    /// Times of nodes.
    pub record_timeline: bool,
    /// The partition as it is run.
    pub record_partition_graphs: bool,
}

/// Runs a registered graph.
#[derive(Clone, Default)]
pub struct RunGraphRequest {
    /// The session.
    pub session_handle: String,
    /// See [`RegisterGraphRequest`].
    pub create_worker_session_called: bool,
    /// What registration returned.
    pub graph_handle: String,
    /// Id of the step.
    pub step_id: i64,
    /// Tensors by rendezvous key that the step is to find.
    pub send: Vec<(String, Tensor)>,
    /// Rendezvous keys whose tensors are to come back.
    pub recv_keys: Vec<String>,
    /// Arguments by index of `_Arg`: only inside a process, where a master runs its own part without rendezvous.
    pub args: Vec<Tensor>,
    /// What to record.
    pub options: ExecutorOptions,
    /// Whether more calls of this step follow or preceded.
    pub is_partial: bool,
    /// Whether this is the last of them.
    pub is_last_partial_run: bool,
    /// Random number; the same twice is refused, 0 is not checked.
    pub request_id: i64,
}

/// What a step leaves.
#[derive(Default)]
pub struct RunGraphResponse {
    /// Tensors that were asked for.
    pub recv: Vec<(String, Tensor)>,
    /// Results by index of `_Retval`, `None` for dead ones.
    pub results: Vec<Option<Tensor>>,
    /// Recorded times.
    pub step_stats: Option<pb::StepStats>,
    /// Recorded partitions.
    pub partition_graphs: Vec<Arc<NodeGraph>>,
}

/// Asks a producer for a tensor.
#[derive(Clone, Debug)]
pub struct RecvTensorRequest {
    /// Id of the step.
    pub step_id: i64,
    /// The whole key.
    pub rendezvous_key: Arc<str>,
    /// Random number; the same twice is refused, 0 is not checked.
    pub request_id: i64,
}

/// A task, as others reach it.
pub trait WorkerInterface: Send + Sync {
    /// The devices of the task.
    fn get_status(&self, options: CallOptions, done: Callback<Vec<DeviceAttributes>>);
    /// Makes a session known.
    fn create_worker_session(&self, request: CreateWorkerSessionRequest, options: CallOptions, done: Callback<()>);
    /// Forgets a session, its graphs and kernels.
    fn delete_worker_session(&self, session_handle: String, options: CallOptions, done: Callback<()>);
    /// Registers a graph; the answer is its handle.
    fn register_graph(&self, request: RegisterGraphRequest, options: CallOptions, done: Callback<String>);
    /// Forgets a graph.
    fn deregister_graph(&self, session_handle: String, graph_handle: String, options: CallOptions, done: Callback<()>);
    /// Runs a graph.
    fn run_graph(&self, request: RunGraphRequest, options: CallOptions, done: Callback<RunGraphResponse>);
    /// Ends a step: what it left at the rendezvous is dropped.
    fn cleanup_graph(&self, step_id: i64, options: CallOptions, done: Callback<()>);
    /// Drops all resources of these containers; none means the default container.
    fn cleanup_all(&self, containers: Vec<String>, options: CallOptions, done: Callback<()>);
    /// Fetches a tensor that the task produces.
    fn recv_tensor(&self, request: RecvTensorRequest, options: CallOptions, done: Callback<Received>);
    /// Switches the recording of transfers, or fetches what was recorded.
    fn logging(&self, request: pb::LoggingRequest, options: CallOptions, done: Callback<pb::LoggingResponse>);
}
