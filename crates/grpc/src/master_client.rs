//! `RemoteMaster`: the master of another process, as clients without TensorFlow reach it (TF: `GrpcRemoteMaster`).

use crate::attributes;
use crate::call::Method;
use crate::channel::Channel;
use crate::codec::{self, ContentPath, decode_with_tensors, encode_with_tensors};
use crate::frame::Message;
use crate::io_thread::IoThread;
use crate::segments::Segments;
use crate::step_stats;
use ferroflow_distributed::{
    CallOptions, CallableOptions, CostGraph, CreateSessionRequest, DeviceAttributes, Done, ExtendRequest, GraphSource, RunMetadata,
    RunOptions, RunRequest, RunResponse, Signature,
};
use ferroflow_graph::{ToGraphDefOptions, to_graph_def};
use ferroflow_proto as pb;
use ferroflow_tensor::error::{internal, invalid_argument};
use ferroflow_tensor::{Code, Error, Result, Tensor};
use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::Arc;

/// The master at `grpc://host:port`. Its methods are those of [`ferroflow_distributed::Master`]; results come by callback, on a thread
/// that must not be blocked.
pub struct RemoteMaster {
    channel: Channel,
    /// How many nodes of its graph each session has been told of; see [`GraphSource::Graph`].
    told: Arc<Mutex<HashMap<String, usize>>>,
    // The event loop of the channel lives as long.
    _io: Arc<IoThread>,
}

const fn method(path: &'static str, response: ContentPath) -> Method {
    Method { path, response, is_bulk: false, wait_for_ready: false }
}

/// Whoever opens a session waits for a server that is still starting; a session's other calls have nothing to wait for, because a
/// server that comes back does not know the session.
const CREATE_SESSION: Method =
    Method { path: "/tensorflow.MasterService/CreateSession", response: &[], is_bulk: false, wait_for_ready: true };
const EXTEND_SESSION: Method = method("/tensorflow.MasterService/ExtendSession", &[]);
const RUN_STEP: Method = method("/tensorflow.MasterService/RunStep", codec::RUN_STEP_RESPONSE);
const PARTIAL_RUN_SETUP: Method = method("/tensorflow.MasterService/PartialRunSetup", &[]);
const MAKE_CALLABLE: Method = method("/tensorflow.MasterService/MakeCallable", &[]);
const RUN_CALLABLE: Method = method("/tensorflow.MasterService/RunCallable", codec::RUN_CALLABLE_RESPONSE);
const RELEASE_CALLABLE: Method = method("/tensorflow.MasterService/ReleaseCallable", &[]);
const CLOSE_SESSION: Method = method("/tensorflow.MasterService/CloseSession", &[]);
const LIST_DEVICES: Method = method("/tensorflow.MasterService/ListDevices", &[]);
const RESET: Method = method("/tensorflow.MasterService/Reset", &[]);

impl RemoteMaster {
    /// The master at a target, `grpc://host:port`. Connects when first used.
    ///
    /// Errors: `InvalidArgument` for a target of another form.
    pub fn new(target: &str, io: Arc<IoThread>) -> Result<RemoteMaster> {
        let address = target.strip_prefix("grpc://").ok_or_else(|| invalid_argument(format!("'{target}' is not grpc://host:port")))?;
        let channel = Channel::new("", address, io.handle())?;
        Ok(RemoteMaster { channel, told: Arc::default(), _io: io })
    }

    fn acknowledged(&self, method: Method, request: &impl prost::Message, options: CallOptions, done: Done<()>) {
        self.channel.call(method, Segments::of_message(request), options, |_| Ok(()), done);
    }

    /// Opens a session; the answer is its handle. Waits for a server that is not there yet, until cancelled or out of time.
    pub fn create_session(&self, request: CreateSessionRequest, options: CallOptions, done: Done<String>) {
        let (graph_def, nodes) = match graph_def(request.graph, 0) {
            Ok(made) => made,
            Err(e) => return done(Err(e)),
        };
        let told = self.told.clone();
        let message = pb::CreateSessionRequest { graph_def: Some(graph_def), config: Some(request.config), target: request.target };
        let read = move |message: &Message| {
            let handle = message.decode::<pb::CreateSessionResponse>()?.session_handle;
            told.lock().insert(handle.clone(), nodes);
            Ok(handle)
        };
        self.channel.call(CREATE_SESSION, Segments::of_message(&message), options, read, done);
    }

    /// Adds nodes to a session's graph; the answer is the new version.
    pub fn extend_session(&self, handle: &str, request: ExtendRequest, options: CallOptions, done: Done<i64>) {
        let known = self.told.lock().get(handle).copied().unwrap_or(0);
        let (graph_def, nodes) = match graph_def(request.graph, known) {
            Ok(made) => made,
            Err(e) => return done(Err(e)),
        };
        let message = pb::ExtendSessionRequest {
            session_handle: handle.to_owned(),
            graph_def: Some(graph_def),
            current_graph_version: request.current_version,
        };
        let (told, session) = (self.told.clone(), handle.to_owned());
        let read = move |message: &Message| {
            told.lock().insert(session, nodes);
            Ok(message.decode::<pb::ExtendSessionResponse>()?.new_graph_version)
        };
        self.channel.call(EXTEND_SESSION, Segments::of_message(&message), options, read, done);
    }

    /// Runs one step.
    pub fn run_step(&self, handle: &str, request: RunRequest, options: CallOptions, done: Done<RunResponse>) {
        let options = CallOptions { timeout: options.timeout.or(request.options.timeout), ..options };
        let message = pb::RunStepRequest {
            session_handle: handle.to_owned(),
            fetch: request.fetches.clone(),
            target: request.targets,
            options: Some(run_options(request.options)),
            partial_run_handle: request.partial_run_handle,
            store_errors_in_response_body: true,
            request_id: request.request_id,
            ..Default::default()
        };
        let read = move |message: &Message| run_step_response(message, &request.fetches);
        self.channel.call(RUN_STEP, encode_with_tensors(&message, 2, &request.feeds), options, read, done);
    }

    /// Prepares a step that is run in several calls; the answer is its handle.
    pub fn partial_run_setup(&self, handle: &str, signature: Signature, request_id: i64, options: CallOptions, done: Done<String>) {
        let message = pb::PartialRunSetupRequest {
            session_handle: handle.to_owned(),
            feed: signature.feeds,
            fetch: signature.fetches,
            target: signature.targets,
            request_id,
        };
        let read = |message: &Message| Ok(message.decode::<pb::PartialRunSetupResponse>()?.partial_run_handle);
        self.channel.call(PARTIAL_RUN_SETUP, Segments::of_message(&message), options, read, done);
    }

    /// Prepares a step with fixed feeds and fetches; the answer is its handle.
    pub fn make_callable(&self, handle: &str, callable: CallableOptions, request_id: i64, options: CallOptions, done: Done<i64>) {
        let connections = callable.signature.connections.into_iter();
        let callable = pb::CallableOptions {
            tensor_connection: connections.map(|c| pb::TensorConnection { from_tensor: c.from, to_tensor: c.to }).collect(),
            feed: callable.signature.feeds,
            fetch: callable.signature.fetches,
            target: callable.signature.targets,
            run_options: Some(run_options(callable.options)),
            ..Default::default()
        };
        let message = pb::MakeCallableRequest { session_handle: handle.to_owned(), options: Some(callable), request_id };
        let read = |message: &Message| Ok(message.decode::<pb::MakeCallableResponse>()?.handle);
        self.channel.call(MAKE_CALLABLE, Segments::of_message(&message), options, read, done);
    }

    /// Runs a callable; feeds and fetches are in the order of its options.
    pub fn run_callable(
        &self,
        handle: &str,
        callable: i64,
        feeds: Vec<Tensor>,
        request_id: i64,
        options: CallOptions,
        done: Done<RunResponse>,
    ) {
        let message = pb::RunCallableRequest { session_handle: handle.to_owned(), handle: callable, request_id, ..Default::default() };
        let read = move |message: &Message| {
            let (response, fetches) = decode_with_tensors::<pb::RunCallableResponse, Tensor>(message, 1)?;
            Ok(RunResponse { fetches, metadata: run_metadata(response.metadata) })
        };
        self.channel.call(RUN_CALLABLE, encode_with_tensors(&message, 3, &feeds), options, read, done);
    }

    /// Forgets a callable.
    pub fn release_callable(&self, handle: &str, callable: i64, options: CallOptions, done: Done<()>) {
        let message = pb::ReleaseCallableRequest { session_handle: handle.to_owned(), handle: callable };
        self.acknowledged(RELEASE_CALLABLE, &message, options, done);
    }

    /// Ends a session; its steps are cancelled.
    pub fn close_session(&self, handle: &str, options: CallOptions, done: Done<()>) {
        self.told.lock().remove(handle);
        self.acknowledged(CLOSE_SESSION, &pb::CloseSessionRequest { session_handle: handle.to_owned() }, options, done);
    }

    /// Devices as (local, remote) of a session, or of the server for an empty handle.
    pub fn list_devices(&self, handle: &str, options: CallOptions, done: Done<(Vec<DeviceAttributes>, Vec<DeviceAttributes>)>) {
        let read = |message: &Message| {
            let response: pb::ListDevicesResponse = message.decode()?;
            let list = |devices: Vec<pb::DeviceAttributes>| devices.into_iter().map(attributes::from_proto).collect();
            Ok((list(response.local_device), list(response.remote_device)))
        };
        let message = pb::ListDevicesRequest { session_handle: handle.to_owned() };
        self.channel.call(LIST_DEVICES, Segments::of_message(&message), options, read, done);
    }

    /// Closes all sessions of the master and empties resource containers; none named means the default one.
    pub fn reset(&self, containers: Vec<String>, device_filters: Vec<String>, options: CallOptions, done: Done<()>) {
        self.acknowledged(RESET, &pb::ResetRequest { container: containers, device_filters }, options, done);
    }
}

/// The nodes that the master does not know yet, and how many it will know with them.
fn graph_def(source: GraphSource, known: usize) -> Result<(pb::GraphDef, usize)> {
    match source {
        GraphSource::Def(def) => {
            let nodes = known + def.node.len();
            Ok((*def, nodes))
        }
        GraphSource::Graph(graph) => {
            let mut def = to_graph_def(&graph, &ToGraphDefOptions { requested_devices: true, ..Default::default() })?;
            if known > def.node.len() {
                return Err(invalid_argument("the graph is not the one that the session was made with"));
            }
            def.node.drain(..known);
            Ok((def, graph.len()))
        }
    }
}

fn run_options(options: RunOptions) -> pb::RunOptions {
    let level = if options.trace { pb::run_options::TraceLevel::FullTrace } else { pb::run_options::TraceLevel::NoTrace };
    pb::RunOptions {
        trace_level: level as i32,
        timeout_in_ms: options.timeout.map_or(0, |t| i64::try_from(t.as_millis()).unwrap_or(i64::MAX).max(1)),
        output_partition_graphs: options.output_partition_graphs,
        ..Default::default()
    }
}

fn run_metadata(metadata: Option<pb::RunMetadata>) -> RunMetadata {
    let metadata = metadata.unwrap_or_default();
    RunMetadata {
        stats: metadata.step_stats.map(step_stats::from_proto).unwrap_or_default(),
        costs: CostGraph { nodes: metadata.cost_graph.unwrap_or_default().node },
        partition_graphs: step_stats::encoded_graphs(&metadata.partition_graphs),
    }
}

/// The fetched tensors in the order of the request; masters send them in any order.
///
/// Errors: the step's; `Internal` for a fetch that is missing.
fn run_step_response(message: &Message, fetches: &[String]) -> Result<RunResponse> {
    let (response, tensors) = decode_with_tensors::<pb::RunStepResponse, (String, Tensor)>(message, 1)?;
    if response.status_code != 0 {
        return Err(Error::new(Code::from_i32(response.status_code), response.status_error_message));
    }
    let in_order = tensors.len() == fetches.len() && tensors.iter().zip(fetches).all(|((name, _), fetch)| name == fetch);
    let fetched = if in_order {
        tensors.into_iter().map(|(_, tensor)| tensor).collect()
    } else {
        let by_name: HashMap<String, Tensor> = tensors.into_iter().collect();
        let find = |name: &String| by_name.get(name).cloned().ok_or_else(|| internal(format!("the master returned no tensor for {name}")));
        fetches.iter().map(find).collect::<Result<_>>()?
    };
    Ok(RunResponse { fetches: fetched, metadata: run_metadata(response.metadata) })
}
