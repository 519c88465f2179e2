//! `WorkerService` on the wire: requests to the task's worker, its answers to responses.

use crate::attributes;
use crate::codec::{self, ContentPath, decode_with_tensors, encode_recv_tensor, encode_with_tensors};
use crate::frame::Message;
use crate::inline::{Inline, kind};
use crate::segments::Segments;
use crate::service::{Respond, Service, decoded, replied};
use crate::step_stats::{cost_graph, partition_graph};
use ferroflow_distributed::{
    CallOptions, ClusterSpec, CreateWorkerSessionRequest, LoggingRequest, RecvTensorRequest, RegisterGraphRequest, RunGraphRequest,
    RunGraphResponse, SessionConfig, TaskId, Worker, WorkerInterface, step_stats_to_proto,
};
use ferroflow_graph::graph_def::{FromGraphDefOptions, from_graph_def_with};
use ferroflow_proto as pb;
use ferroflow_runtime::passes::PassOptions;
use ferroflow_tensor::error::invalid_argument;
use ferroflow_tensor::{Code, Error, Result, Tensor};
use std::sync::Arc;
use std::time::SystemTime;

/// The service of a task's worker.
pub(crate) struct WorkerService {
    pub(crate) worker: Arc<Worker>,
    pub(crate) inline: Arc<Inline>,
}

impl Service for WorkerService {
    fn prefix(&self) -> &'static str {
        "/tensorflow.WorkerService/"
    }

    fn request_content(&self, method: &str) -> Option<ContentPath> {
        match method {
            "RunGraph" => Some(codec::RUN_GRAPH_REQUEST),
            "GetStatus"
            | "CreateWorkerSession"
            | "DeleteWorkerSession"
            | "RegisterGraph"
            | "DeregisterGraph"
            | "CleanupGraph"
            | "CleanupAll"
            | "RecvTensor"
            | "MarkRecvFinished"
            | "Logging"
            | "Tracing"
            | "RecvBuf"
            | "CompleteGroup"
            | "CompleteInstance"
            | "GetStepSequence" => Some(&[]),
            _ => None,
        }
    }

    fn call(&self, method: &str, request: Message, options: CallOptions, respond: Respond) {
        let (worker, inline) = (self.worker.clone(), self.inline.clone());
        match method {
            "RecvTensor" => decoded(&request, respond, |r, respond| recv_tensor(&worker, r, options, respond)),
            "RunGraph" => self.run_graph(&request, options, respond),
            "GetStatus" => {
                let status =
                    |devices: Vec<_>| pb::GetStatusResponse { device_attributes: devices.into_iter().map(attributes::to_proto).collect() };
                worker.get_status(options, replied(respond, status));
            }
            // The next ones may build or drop whole graphs.
            "CreateWorkerSession" => decoded(&request, respond, move |r, respond| {
                inline.spawn(move || match session_request(r) {
                    Ok(r) => worker.create_worker_session(options, r, replied(respond, |()| pb::CreateWorkerSessionResponse::default())),
                    Err(e) => respond(Err(e)),
                });
            }),
            "DeleteWorkerSession" => decoded(&request, respond, move |r: pb::DeleteWorkerSessionRequest, respond| {
                let done = replied(respond, |()| pb::DeleteWorkerSessionResponse::default());
                inline.spawn(move || worker.delete_worker_session(options, r.session_handle.into(), done));
            }),
            "RegisterGraph" => inline.spawn(move || {
                decoded(&request, respond, |r, respond| register_graph(&worker, r, options, respond));
            }),
            "CleanupAll" => decoded(&request, respond, move |r: pb::CleanupAllRequest, respond| {
                let done = replied(respond, |()| pb::CleanupAllResponse::default());
                inline.spawn(move || worker.cleanup_all(options, r.container, done));
            }),
            "DeregisterGraph" => decoded(&request, respond, move |r: pb::DeregisterGraphRequest, respond| {
                let done = replied(respond, |()| pb::DeregisterGraphResponse::default());
                let created = r.create_worker_session_called;
                inline.spawn(move || worker.deregister_graph(options, r.session_handle.into(), created, r.graph_handle.into(), done));
            }),
            "CleanupGraph" => decoded(&request, respond, |r: pb::CleanupGraphRequest, respond| {
                worker.cleanup_graph(options, r.step_id, replied(respond, |()| pb::CleanupGraphResponse::default()));
            }),
            "Logging" => decoded(&request, respond, |r, respond| logging(&worker, r, options, respond)),
            // Answers are kept for nobody, so there is nothing to let go.
            "MarkRecvFinished" => respond(Segments::of_message(&pb::MarkRecvFinishedResponse::default())),
            "Tracing" => respond(Err(unimplemented("Tracing"))),
            "RecvBuf" | "CompleteGroup" | "CompleteInstance" | "GetStepSequence" => {
                respond(Err(unimplemented(format!("{method}: this server has no collective ops"))));
            }
            other => respond(Err(unimplemented(format!("WorkerService has no method {other}")))),
        }
    }
}

fn unimplemented(text: impl Into<String>) -> Error {
    Error::new(Code::Unimplemented, text)
}

fn recv_tensor(worker: &Arc<Worker>, r: pb::RecvTensorRequest, options: CallOptions, respond: Respond) {
    let request = RecvTensorRequest { step_id: r.step_id, key: r.rendezvous_key.into(), request_id: r.request_id };
    let answer = move |received: Result<_>| respond(received.and_then(|r| encode_recv_tensor(&r, SystemTime::now())));
    worker.recv_tensor(options, request, Box::new(answer));
}

/// A cluster without jobs stands for the worker's own configuration.
fn session_request(r: pb::CreateWorkerSessionRequest) -> Result<CreateWorkerSessionRequest> {
    let cluster = match r.server_def {
        Some(pb::ServerDef { cluster: Some(cluster), job_name, task_index, .. }) if !cluster.job.is_empty() => {
            let index = u32::try_from(task_index).map_err(|_| invalid_argument(format!("task_index {task_index} is negative")))?;
            Some((ClusterSpec::from_proto(&cluster)?, TaskId::new(job_name, index)))
        }
        _ => None,
    };
    Ok(CreateWorkerSessionRequest {
        session_handle: r.session_handle.into(),
        cluster,
        isolate_session_state: r.isolate_session_state,
        master_task: r.master_task,
        master_incarnation: r.master_incarnation,
    })
}

fn register_graph(worker: &Arc<Worker>, r: pb::RegisterGraphRequest, options: CallOptions, respond: Respond) {
    let graph = match from_graph_def_with(&r.graph_def.unwrap_or_default(), &worker.env().registry, FromGraphDefOptions::WORKER) {
        Ok(graph) => graph,
        Err(e) => return respond(Err(e)),
    };
    // TF 1 sends the options of the graph only, TF 2 those of the session.
    let config = r.config_proto.unwrap_or_else(|| pb::ConfigProto { graph_options: r.graph_options, ..Default::default() });
    let config = SessionConfig::new(&config, &pb::ConfigProto::default());
    let (passes, build_cost_model) = config.map_or((PassOptions::default(), 0), |c| (c.passes, c.build_cost_model));
    let request = RegisterGraphRequest {
        session_handle: r.session_handle.into(),
        create_worker_session_called: r.create_worker_session_called,
        graph: Arc::new(graph),
        passes,
        build_cost_model,
    };
    let reply = |handle: Arc<str>| pb::RegisterGraphResponse { graph_handle: handle.to_string() };
    worker.register_graph(options, request, replied(respond, reply));
}

fn logging(worker: &Arc<Worker>, r: pb::LoggingRequest, options: CallOptions, respond: Respond) {
    let request =
        LoggingRequest { enable: r.enable_rpc_logging, disable: r.disable_rpc_logging, clear: r.clear, fetch_step_ids: r.fetch_step_id };
    let reply = |steps: Vec<(i64, Vec<_>)>| pb::LoggingResponse {
        step: steps
            .into_iter()
            .map(|(step_id, stats)| pb::LabeledStepStats { step_id, step_stats: Some(step_stats_to_proto(&stats)) })
            .collect(),
    };
    worker.logging(options, request, replied(respond, reply));
}

impl WorkerService {
    fn run_graph(&self, request: &Message, options: CallOptions, respond: Respond) {
        let (r, send) = match decode_with_tensors::<pb::RunGraphRequest, (String, Tensor)>(request, 3) {
            Ok(decoded) => decoded,
            Err(e) => return respond(Err(e)),
        };
        let exec = r.exec_opts.unwrap_or_default();
        let in_body = r.store_errors_in_response_body;
        let request = RunGraphRequest {
            session_handle: r.session_handle.into(),
            create_worker_session_called: r.create_worker_session_called,
            graph_handle: r.graph_handle.into(),
            step_id: r.step_id,
            sends: send.into_iter().map(|(key, tensor)| (key.into(), tensor)).collect(),
            recv_keys: r.recv_key.into_iter().map(Arc::from).collect(),
            record_timeline: exec.record_timeline,
            record_costs: exec.record_costs,
            record_partition_graphs: exec.record_partition_graphs,
            is_partial: r.is_partial,
            is_last_partial_run: r.is_last_partial_run,
            request_id: r.request_id,
        };
        let done = Box::new(move |outcome: Result<RunGraphResponse>| respond(run_graph_response(outcome, in_body)));
        let worker = self.worker.clone();
        let kind = kind(("RunGraph", &request.session_handle, &request.graph_handle));
        self.inline.run(kind, move || worker.run_graph(options, request, done));
    }
}

fn run_graph_response(outcome: Result<RunGraphResponse>, errors_in_body: bool) -> Result<Segments> {
    match outcome {
        Ok(response) => {
            let message = pb::RunGraphResponse {
                step_stats: (!response.stats.is_empty()).then(|| step_stats_to_proto(&response.stats)),
                cost_graph: cost_graph(response.costs),
                partition_graph: response.partition_graphs.iter().map(partition_graph).collect::<Result<_>>()?,
                ..Default::default()
            };
            let recv: Vec<(String, Tensor)> = response.recvs.into_iter().map(|(key, t)| (key.to_string(), t)).collect();
            encode_with_tensors(&message, 1, &recv)
        }
        // A derived error needs its mark, which only a status can carry.
        Err(e) if errors_in_body && !e.is_derived() => Segments::of_message(&pb::RunGraphResponse {
            status_code: e.code() as i32,
            status_error_message: e.message(),
            ..Default::default()
        }),
        Err(e) => Err(e),
    }
}
