//! `MasterInterface`: what a client asks of a master.

use super::{CallOptions, Callback, DeviceAttributes};
use ferroflow_proto as pb;
use ferroflow_tensor::Tensor;

/// Runs a step.
#[derive(Clone, Default)]
pub struct RunStepRequest {
    /// The session.
    pub session_handle: String,
    /// Tensors by name.
    pub feeds: Vec<(String, Tensor)>,
    /// Names of tensors to return.
    pub fetches: Vec<String>,
    /// Names of nodes to run.
    pub targets: Vec<String>,
    /// Time limit, tracing.
    pub options: pb::RunOptions,
    /// Handle of a partial run; empty for an ordinary one.
    pub partial_run_handle: String,
    /// Random number; the same twice is refused, 0 is not checked.
    pub request_id: i64,
}

/// The outcome of a step.
#[derive(Default)]
pub struct RunStepResponse {
    /// Fetched tensors under the names that were asked for.
    pub tensors: Vec<(String, Tensor)>,
    /// Times and graphs, if asked for.
    pub metadata: pb::RunMetadata,
}

/// Runs a callable.
#[derive(Clone, Default)]
pub struct RunCallableRequest {
    /// The session.
    pub session_handle: String,
    /// What making it returned.
    pub handle: i64,
    /// Tensors in the order of the callable's feeds.
    pub feeds: Vec<Tensor>,
    /// Random number; the same twice is refused, 0 is not checked.
    pub request_id: i64,
}

/// The outcome of a callable.
#[derive(Default)]
pub struct RunCallableResponse {
    /// Tensors in the order of the callable's fetches.
    pub fetches: Vec<Tensor>,
    /// Times and graphs, if asked for.
    pub metadata: pb::RunMetadata,
}

/// Devices as a session sees them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ListDevicesResponse {
    /// Those that count as local.
    pub local: Vec<DeviceAttributes>,
    /// All others.
    pub remote: Vec<DeviceAttributes>,
}

/// A master, as clients reach it.
pub trait MasterInterface: Send + Sync {
    /// Opens a session over a graph; the answer is its handle. `target` is the address that the client dialled.
    fn create_session(
        &self,
        graph: pb::GraphDef,
        config: pb::ConfigProto,
        target: String,
        options: CallOptions,
        done: Callback<String>,
    );
    /// Adds nodes; the answer is the new version of the graph.
    fn extend_session(&self, handle: String, graph: pb::GraphDef, current_version: i64, options: CallOptions, done: Callback<i64>);
    /// Runs a step.
    fn run_step(&self, request: RunStepRequest, options: CallOptions, done: Callback<RunStepResponse>);
    /// Prepares a step that is fed and fetched piece by piece; the answer is its handle.
    fn partial_run_setup(
        &self,
        handle: String,
        feeds: Vec<String>,
        fetches: Vec<String>,
        targets: Vec<String>,
        request_id: i64,
        options: CallOptions,
        done: Callback<String>,
    );
    /// Closes a session; running steps end.
    fn close_session(&self, handle: String, options: CallOptions, done: Callback<()>);
    /// The devices of a session, or of the cluster for an empty handle.
    fn list_devices(&self, handle: String, options: CallOptions, done: Callback<ListDevicesResponse>);
    /// Closes all sessions and clears containers on the tasks that the filters allow.
    fn reset(&self, containers: Vec<String>, device_filters: Vec<String>, options: CallOptions, done: Callback<()>);
    /// Compiles a step; the answer is its handle.
    fn make_callable(
        &self,
        handle: String,
        callable: pb::CallableOptions,
        request_id: i64,
        options: CallOptions,
        done: Callback<i64>,
    );
    /// Runs a compiled step.
    fn run_callable(&self, request: RunCallableRequest, options: CallOptions, done: Callback<RunCallableResponse>);
    /// Forgets a compiled step.
    fn release_callable(&self, handle: String, callable: i64, options: CallOptions, done: Callback<()>);
}
