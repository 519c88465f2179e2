//! `WorkerInterface`: what a master or another worker can ask of a task, wherever it runs (TF: `WorkerInterface`).
//!
//! A [`Worker`](crate::Worker) implements it by doing the work, a transport by sending the request. Requests carry tensors and
//! graphs as they are; what becomes bytes, and how, is the transport's business.

use crate::call::{CallOptions, Done};
use crate::cluster::{ClusterSpec, TaskId};
use crate::cost_graph::CostGraph;
use bytes::Bytes;
use ferroflow_graph::NodeGraph;
use ferroflow_graph::kernel::Received;
use ferroflow_runtime::NodeStats;
use ferroflow_runtime::passes::PassOptions;
use ferroflow_tensor::Tensor;
use std::sync::Arc;

/// What a task tells about one of its devices.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DeviceAttributes {
    /// Full name.
    pub name: String,
    /// `CPU`, …
    pub device_type: String,
    /// In bytes; 0 if unknown.
    pub memory_limit: i64,
    /// Random number of this start of the task.
    pub incarnation: u64,
}

/// Opens a session on a worker.
#[derive(Clone, Debug, Default)]
pub struct CreateWorkerSessionRequest {
    /// The session's handle.
    pub session_handle: Arc<str>,
    /// The session's own cluster, with the task that the worker is in it; `None`: the worker's own configuration counts.
    pub cluster: Option<(ClusterSpec, TaskId)>,
    /// Whether the session has variables of its own.
    pub isolate_session_state: bool,
    /// The task of the session's master, if it tells.
    pub master_task: String,
    /// A number that changes when that task restarts.
    pub master_incarnation: i64,
}

/// Hands a partition to a worker.
#[derive(Clone)]
pub struct RegisterGraphRequest {
    /// The session; see `create_worker_session_called`.
    pub session_handle: Arc<str>,
    /// If false, the worker's one legacy session is meant.
    pub create_worker_session_called: bool,
    /// The partition; every node has a full device name.
    pub graph: Arc<NodeGraph>,
    /// Which rewrites the worker may do.
    pub passes: PassOptions,
    /// Of every how manieth run the costs will be asked for; 0: of none. TensorFlow's workers want to know it beforehand.
    pub build_cost_model: u64,
}

/// Runs a registered partition.
#[derive(Clone, Debug, Default)]
pub struct RunGraphRequest {
    /// The session; see `create_worker_session_called`.
    pub session_handle: Arc<str>,
    /// If false, the worker's one legacy session is meant.
    pub create_worker_session_called: bool,
    /// What registering returned.
    pub graph_handle: Arc<str>,
    /// The step.
    pub step_id: i64,
    /// Values for client-terminated receives, by rendezvous key.
    pub sends: Vec<(Arc<str>, Tensor)>,
    /// Rendezvous keys of the client-terminated sends whose values are wanted.
    pub recv_keys: Vec<Arc<str>>,
    /// Record when each node ran.
    pub record_timeline: bool,
    /// Return what the nodes cost.
    pub record_costs: bool,
    /// Return the graphs that ran, one per device.
    pub record_partition_graphs: bool,
    /// Whether the step is run in several calls.
    pub is_partial: bool,
    /// Whether this is the last of them.
    pub is_last_partial_run: bool,
    /// Random; the same again is refused.
    pub request_id: i64,
}

/// What a run of a partition returns.
#[derive(Clone, Default)]
pub struct RunGraphResponse {
    /// The wanted values, in the order of the request.
    pub recvs: Vec<(Arc<str>, Tensor)>,
    /// When each node ran, if that was asked for.
    pub stats: Vec<NodeStats>,
    /// What the nodes cost, if that was asked for.
    pub costs: CostGraph,
    /// The graphs that ran, if that was asked for.
    pub partition_graphs: Vec<PartitionGraph>,
}

/// A graph that ran on a device, to be shown to the client.
#[derive(Clone)]
pub enum PartitionGraph {
    /// That of a task in this process.
    Nodes(Arc<NodeGraph>),
    /// The bytes of another task's `GraphDef`. Its ops may be known to that task alone: TF's replace some by their own when they
    /// prepare a graph.
    Encoded(Bytes),
}

/// Asks the producer of a tensor for it.
#[derive(Clone, Debug)]
pub struct RecvTensorRequest {
    /// The step.
    pub step_id: i64,
    /// The text of the rendezvous key.
    pub key: Arc<str>,
    /// Random; the same again is refused.
    pub request_id: i64,
}

/// What logging of transfers is to do.
#[derive(Clone, Debug, Default)]
pub struct LoggingRequest {
    /// Start recording.
    pub enable: bool,
    /// Stop recording.
    pub disable: bool,
    /// Forget what was recorded.
    pub clear: bool,
    /// Steps whose transfers are wanted.
    pub fetch_step_ids: Vec<i64>,
}

/// The calls that a task answers.
pub trait WorkerInterface: Send + Sync {
    /// Its devices.
    fn get_status(&self, options: CallOptions, done: Done<Vec<DeviceAttributes>>);
    /// Opens a session; a known handle keeps its session.
    fn create_worker_session(&self, options: CallOptions, request: CreateWorkerSessionRequest, done: Done<()>);
    /// Ends a session and all its graphs; an unknown handle is no error.
    fn delete_worker_session(&self, options: CallOptions, session_handle: Arc<str>, done: Done<()>);
    /// Registers a partition; returns its handle.
    fn register_graph(&self, options: CallOptions, request: RegisterGraphRequest, done: Done<Arc<str>>);
    /// Forgets a partition.
    fn deregister_graph(&self, options: CallOptions, session_handle: Arc<str>, create_called: bool, graph_handle: Arc<str>, done: Done<()>);
    /// Runs a partition.
    fn run_graph(&self, options: CallOptions, request: RunGraphRequest, done: Done<RunGraphResponse>);
    /// Forgets a step.
    fn cleanup_graph(&self, options: CallOptions, step_id: i64, done: Done<()>);
    /// Empties resource containers; none named means the default one.
    fn cleanup_all(&self, options: CallOptions, containers: Vec<String>, done: Done<()>);
    /// Waits for a tensor that the task produces.
    fn recv_tensor(&self, options: CallOptions, request: RecvTensorRequest, done: Done<Received>);
    /// Records transfers, or returns records.
    fn logging(&self, options: CallOptions, request: LoggingRequest, done: Done<Vec<(i64, Vec<NodeStats>)>>);
}

/// How a task finds the others of a cluster (TF: `WorkerCacheInterface`).
pub trait WorkerCache: Send + Sync {
    /// The cluster.
    fn cluster(&self) -> &ClusterSpec;
    /// The way to a task; `None` if the cluster has no such task.
    fn worker(&self, task: &TaskId) -> Option<Arc<dyn WorkerInterface>>;
}

/// Makes ways to the tasks of clusters that sessions bring along.
pub trait WorkerCacheFactory: Send + Sync {
    /// The tasks of a cluster.
    ///
    /// Errors: `InvalidArgument` for addresses that cannot be used.
    fn worker_cache(&self, cluster: &ClusterSpec) -> ferroflow_tensor::Result<Arc<dyn WorkerCache>>;
}
