//! `RemoteWorker`: a task of another process, reached by its `WorkerService` (TF: `GrpcRemoteWorker`).

use crate::attributes;
use crate::call::Method;
use crate::channel::Channel;
use crate::codec::{self, ContentPath, decode_recv_tensor, decode_with_tensors, encode_with_tensors};
use crate::frame::Message;
use crate::inline::{Inline, kind};
use crate::io_thread::IoThread;
use crate::segments::Segments;
use crate::step_stats;
use ferroflow_distributed::{
    CallOptions, CostGraph, CreateWorkerSessionRequest, DeviceAttributes, Done, LoggingRequest, RecvTensorRequest, RegisterGraphRequest,
    RunGraphRequest, RunGraphResponse, TaskId, WorkerInterface,
};
use ferroflow_graph::kernel::{ComputePool, Received};
use ferroflow_graph::{ToGraphDefOptions, to_graph_def};
use ferroflow_proto as pb;
use ferroflow_runtime::NodeStats;
use ferroflow_runtime::passes::PassOptions;
use ferroflow_tensor::{Code, Error, Result, Tensor};
use std::sync::Arc;

/// A task of another process. Servers make their own; this is for whoever wants to talk to a task without being one.
pub struct RemoteWorker {
    channel: Channel,
    /// For the graphs that a traced step returns.
    /// Where steps go on when their tensors have come.
    inline: Arc<Inline>,
}

const fn method(path: &'static str, response: ContentPath) -> Method {
    Method { path, response, is_bulk: false, wait_for_ready: false }
}

const GET_STATUS: Method = method("/tensorflow.WorkerService/GetStatus", &[]);
const CREATE_WORKER_SESSION: Method = method("/tensorflow.WorkerService/CreateWorkerSession", &[]);
const DELETE_WORKER_SESSION: Method = method("/tensorflow.WorkerService/DeleteWorkerSession", &[]);
const REGISTER_GRAPH: Method = method("/tensorflow.WorkerService/RegisterGraph", &[]);
const DEREGISTER_GRAPH: Method = method("/tensorflow.WorkerService/DeregisterGraph", &[]);
const RUN_GRAPH: Method = method("/tensorflow.WorkerService/RunGraph", codec::RUN_GRAPH_RESPONSE);
const CLEANUP_GRAPH: Method = method("/tensorflow.WorkerService/CleanupGraph", &[]);
const CLEANUP_ALL: Method = method("/tensorflow.WorkerService/CleanupAll", &[]);
const RECV_TENSOR: Method = Method { is_bulk: true, ..method("/tensorflow.WorkerService/RecvTensor", codec::RECV_TENSOR_RESPONSE) };
const LOGGING: Method = method("/tensorflow.WorkerService/Logging", &[]);

impl RemoteWorker {
    /// The worker of a task at `host:port`. Connects when first used. What is to be done with tensors that arrive, and takes long, is
    /// done on `pool`.
    ///
    /// Errors: `InvalidArgument` for an address that cannot be one.
    pub fn new(task: &TaskId, address: &str, pool: Arc<dyn ComputePool>, io: &IoThread) -> Result<RemoteWorker> {
        Ok(RemoteWorker::over(Channel::new(&task.name(), address, io.handle())?, Inline::new(pool)))
    }

    pub(crate) fn over(channel: Channel, inline: Arc<Inline>) -> RemoteWorker {
        RemoteWorker { channel, inline }
    }

    /// A call whose response says nothing.
    fn acknowledged(&self, method: Method, request: &impl prost::Message, options: CallOptions, done: Done<()>) {
        self.channel.call(method, Segments::of_message(request), options, |_| Ok(()), done);
    }
}

impl WorkerInterface for RemoteWorker {
    fn get_status(&self, options: CallOptions, done: Done<Vec<DeviceAttributes>>) {
        let read = |message: &Message| {
            let response: pb::GetStatusResponse = message.decode()?;
            Ok(response.device_attributes.into_iter().map(attributes::from_proto).collect())
        };
        self.channel.call(GET_STATUS, Segments::of_message(&pb::GetStatusRequest::default()), options, read, done);
    }

    fn create_worker_session(&self, options: CallOptions, request: CreateWorkerSessionRequest, done: Done<()>) {
        let server_def = request.cluster.map(|(cluster, task)| pb::ServerDef {
            cluster: Some(cluster.to_proto()),
            job_name: task.job,
            task_index: i32::try_from(task.index).unwrap_or(i32::MAX),
            protocol: "grpc".to_owned(),
            ..Default::default()
        });
        let request = pb::CreateWorkerSessionRequest {
            session_handle: request.session_handle.to_string(),
            server_def,
            isolate_session_state: request.isolate_session_state,
            master_task: request.master_task,
            master_incarnation: request.master_incarnation,
            ..Default::default()
        };
        self.acknowledged(CREATE_WORKER_SESSION, &request, options, done);
    }

    fn delete_worker_session(&self, options: CallOptions, session_handle: Arc<str>, done: Done<()>) {
        let request = pb::DeleteWorkerSessionRequest { session_handle: session_handle.to_string() };
        self.acknowledged(DELETE_WORKER_SESSION, &request, options, done);
    }

    fn register_graph(&self, options: CallOptions, request: RegisterGraphRequest, done: Done<Arc<str>>) {
        let build_cost_model = i64::try_from(request.build_cost_model).unwrap_or(i64::MAX);
        let graph_options = pb::GraphOptions { build_cost_model, ..graph_options(request.passes) };
        let message = to_graph_def(&request.graph, &ToGraphDefOptions { only_reachable_functions: true, ..Default::default() })
            .map(|graph_def| pb::RegisterGraphRequest {
                session_handle: request.session_handle.to_string(),
                graph_def: Some(graph_def),
                graph_options: Some(graph_options.clone()),
                create_worker_session_called: request.create_worker_session_called,
                config_proto: Some(pb::ConfigProto { graph_options: Some(graph_options), ..Default::default() }),
                ..Default::default()
            })
            .and_then(|m| Segments::of_message(&m));
        let read = |message: &Message| Ok(message.decode::<pb::RegisterGraphResponse>()?.graph_handle.into());
        self.channel.call(REGISTER_GRAPH, message, options, read, done);
    }

    fn deregister_graph(
        &self,
        options: CallOptions,
        session_handle: Arc<str>,
        create_called: bool,
        graph_handle: Arc<str>,
        done: Done<()>,
    ) {
        let request = pb::DeregisterGraphRequest {
            graph_handle: graph_handle.to_string(),
            session_handle: session_handle.to_string(),
            create_worker_session_called: create_called,
        };
        self.acknowledged(DEREGISTER_GRAPH, &request, options, done);
    }

    fn run_graph(&self, options: CallOptions, request: RunGraphRequest, done: Done<RunGraphResponse>) {
        let message = pb::RunGraphRequest {
            graph_handle: request.graph_handle.to_string(),
            step_id: request.step_id,
            recv_key: request.recv_keys.iter().map(|k| k.to_string()).collect(),
            exec_opts: Some(pb::ExecutorOpts {
                record_costs: request.record_costs,
                record_timeline: request.record_timeline,
                record_partition_graphs: request.record_partition_graphs,
                ..Default::default()
            }),
            is_partial: request.is_partial,
            is_last_partial_run: request.is_last_partial_run,
            session_handle: request.session_handle.to_string(),
            // A status tells more than the body can: whether the error is a consequence of another.
            store_errors_in_response_body: false,
            create_worker_session_called: request.create_worker_session_called,
            request_id: request.request_id,
            ..Default::default()
        };
        let sends: Vec<(String, Tensor)> = request.sends.into_iter().map(|(key, tensor)| (key.to_string(), tensor)).collect();
        let wanted = request.recv_keys;
        let read = move |message: &Message| run_graph_response(message, &wanted);
        self.channel.call(RUN_GRAPH, encode_with_tensors(&message, 3, &sends), options, read, done);
    }

    fn cleanup_graph(&self, options: CallOptions, step_id: i64, done: Done<()>) {
        self.acknowledged(CLEANUP_GRAPH, &pb::CleanupGraphRequest { step_id }, options, done);
    }

    fn cleanup_all(&self, options: CallOptions, containers: Vec<String>, done: Done<()>) {
        self.acknowledged(CLEANUP_ALL, &pb::CleanupAllRequest { container: containers }, options, done);
    }

    fn recv_tensor(&self, options: CallOptions, request: RecvTensorRequest, done: Done<Received>) {
        let inline = self.inline.clone();
        // But for the iteration of a loop, keys are the same in every step, so it is known how long the consumer works on what comes.
        let edge = request.key.rsplit_once(';').map_or(&*request.key, |(edge, _iteration)| edge);
        let kind = kind(("RecvTensor", edge));
        let then: Done<Received> = Box::new(move |received| inline.run(kind, move || done(received)));
        let message = pb::RecvTensorRequest {
            step_id: request.step_id,
            rendezvous_key: request.key.to_string(),
            request_id: request.request_id,
            ..Default::default()
        };
        self.channel.call(RECV_TENSOR, Segments::of_message(&message), options, decode_recv_tensor, then);
    }

    fn logging(&self, options: CallOptions, request: LoggingRequest, done: Done<Vec<(i64, Vec<NodeStats>)>>) {
        let message = pb::LoggingRequest {
            enable_rpc_logging: request.enable,
            disable_rpc_logging: request.disable,
            clear: request.clear,
            fetch_step_id: request.fetch_step_ids,
        };
        let read = |message: &Message| {
            let response: pb::LoggingResponse = message.decode()?;
            let of_step = |s: pb::LabeledStepStats| (s.step_id, step_stats::from_proto(s.step_stats.unwrap_or_default()));
            Ok(response.step.into_iter().map(of_step).collect())
        };
        self.channel.call(LOGGING, Segments::of_message(&message), options, read, done);
    }
}

/// What a worker is to do with the graph, in TF's words.
fn graph_options(passes: PassOptions) -> pb::GraphOptions {
    let toggle = |on: bool| if on { pb::rewriter_config::Toggle::Default } else { pb::rewriter_config::Toggle::Off } as i32;
    let rewrites = pb::RewriterConfig {
        disable_meta_optimizer: passes == PassOptions::none(),
        constant_folding: toggle(passes.constant_folding),
        ..Default::default()
    };
    let is_default = passes == PassOptions::default();
    pb::GraphOptions { rewrite_options: (!is_default).then_some(rewrites), ..Default::default() }
}

/// The wanted tensors in the order in which they were asked for.
///
/// Errors: the step's, wherever the worker put it; `Internal` for a tensor that is missing.
fn run_graph_response(message: &Message, wanted: &[Arc<str>]) -> Result<RunGraphResponse> {
    let (response, mut received) = decode_with_tensors::<pb::RunGraphResponse, (String, Tensor)>(message, 1)?;
    if response.status_code != 0 {
        return Err(Error::new(Code::from_i32(response.status_code), response.status_error_message));
    }
    let take = |key: &Arc<str>| {
        let at = received.iter().position(|(name, _)| **name == **key);
        let missing = || Error::new(Code::Internal, format!("the worker returned no tensor for {key}"));
        at.map(|i| (key.clone(), received.swap_remove(i).1)).ok_or_else(missing)
    };
    Ok(RunGraphResponse {
        recvs: wanted.iter().map(take).collect::<Result<_>>()?,
        stats: response.step_stats.map(step_stats::from_proto).unwrap_or_default(),
        costs: CostGraph { nodes: response.cost_graph.unwrap_or_default().node },
        partition_graphs: step_stats::encoded_graphs(&response.partition_graph),
    })
}
