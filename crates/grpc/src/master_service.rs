//! `MasterService` on the wire: requests of clients to the task's master, its answers to responses.

use crate::attributes;
use crate::codec::{self, ContentPath, decode_with_tensors, encode_with_tensors};
use crate::frame::Message;
use crate::inline::{Inline, kind};
use crate::pooled::Pooled;
use crate::segments::Segments;
use crate::service::{Respond, Service, decoded, replied};
use crate::step_stats::{cost_graph, partition_graph};
use ferroflow_distributed::{
    CallOptions, CallableOptions, CreateSessionRequest, Done, ExtendRequest, GraphSource, Master, RunMetadata, RunOptions, RunRequest,
    RunResponse, Signature, TensorConnection, millis, step_stats_to_proto,
};
use ferroflow_graph::kernel::ComputePool;
use ferroflow_proto as pb;
use ferroflow_tensor::error::unimplemented;
use ferroflow_tensor::{Code, Error, Result, Tensor};
use std::sync::Arc;

/// The service of a task's master.
pub(crate) struct MasterService {
    pub(crate) master: Arc<Master>,
    pub(crate) inline: Arc<Inline>,
}

impl Service for MasterService {
    fn prefix(&self) -> &'static str {
        "/tensorflow.MasterService/"
    }

    fn request_content(&self, method: &str) -> Option<ContentPath> {
        match method {
            "RunStep" => Some(codec::RUN_STEP_REQUEST),
            "RunCallable" => Some(codec::RUN_CALLABLE_REQUEST),
            "CreateSession" | "ExtendSession" | "PartialRunSetup" | "CloseSession" | "ListDevices" | "Reset" | "MakeCallable"
            | "ReleaseCallable" => Some(&[]),
            _ => None,
        }
    }

    fn call(&self, method: &str, request: Message, options: CallOptions, respond: Respond) {
        let (master, inline) = (self.master.clone(), self.inline.clone());
        match method {
            "RunStep" => self.run_step(&request, options, respond),
            "RunCallable" => self.run_callable(&request, options, respond),
            "CreateSession" => self.in_background(options, respond, async move {
                let r: pb::CreateSessionRequest = request.decode()?;
                let graph = GraphSource::Def(Box::new(r.graph_def.unwrap_or_default()));
                let config = r.config.unwrap_or_default();
                let session_handle = master.create_session(CreateSessionRequest { graph, config, target: r.target }).await?;
                Segments::of_message(&pb::CreateSessionResponse { session_handle, graph_version: 0 })
            }),
            "CloseSession" => self.in_background(options, respond, async move {
                let r: pb::CloseSessionRequest = request.decode()?;
                master.close_session(&r.session_handle).await?;
                Segments::of_message(&pb::CloseSessionResponse::default())
            }),
            "ListDevices" => self.in_background(options, respond, async move {
                let r: pb::ListDevicesRequest = request.decode()?;
                let (local, remote) = master.list_devices(&r.session_handle).await?;
                let list = |devices: Vec<_>| devices.into_iter().map(attributes::to_proto).collect();
                Segments::of_message(&pb::ListDevicesResponse { local_device: list(local), remote_device: list(remote) })
            }),
            "Reset" => self.in_background(options, respond, async move {
                let r: pb::ResetRequest = request.decode()?;
                master.reset(r.container, &r.device_filters).await?;
                Segments::of_message(&pb::ResetResponse::default())
            }),
            "ExtendSession" => inline.spawn(move || decoded(&request, respond, |r, respond| extend_session(&master, r, respond))),
            "PartialRunSetup" => inline.spawn(move || {
                decoded(&request, respond, |r: pb::PartialRunSetupRequest, respond| {
                    let signature = Signature { feeds: r.feed, fetches: r.fetch, targets: r.target, ..Signature::default() };
                    let done = replied(respond, |handle| pb::PartialRunSetupResponse { partial_run_handle: handle });
                    master.partial_run_setup(&r.session_handle, signature, r.request_id, not_to_be_sent_again(done));
                });
            }),
            "MakeCallable" => inline.spawn(move || {
                decoded(&request, respond, |r: pb::MakeCallableRequest, respond| {
                    let done = replied(respond, |handle| pb::MakeCallableResponse { handle });
                    match callable_options(r.options.unwrap_or_default()) {
                        Ok(options) => master.make_callable(&r.session_handle, options, r.request_id, not_to_be_sent_again(done)),
                        Err(e) => done(Err(e)),
                    }
                });
            }),
            "ReleaseCallable" => decoded(&request, respond, |r: pb::ReleaseCallableRequest, respond| {
                let released = master.release_callable(&r.session_handle, r.handle);
                respond(released.and_then(|()| Segments::of_message(&pb::ReleaseCallableResponse::default())));
            }),
            other => respond(Err(Error::new(Code::Unimplemented, format!("MasterService has no method {other}")))),
        }
    }
}

fn extend_session(master: &Master, r: pb::ExtendSessionRequest, respond: Respond) {
    let graph = GraphSource::Def(Box::new(r.graph_def.unwrap_or_default()));
    let request = ExtendRequest { graph, current_version: r.current_graph_version };
    let extended = master.extend_session(&r.session_handle, request);
    respond(extended.and_then(|v| Segments::of_message(&pb::ExtendSessionResponse { new_graph_version: v })));
}

fn run_options(o: &pb::RunOptions) -> RunOptions {
    RunOptions {
        trace: o.trace_level == pb::run_options::TraceLevel::FullTrace as i32,
        timeout: millis(o.timeout_in_ms),
        output_partition_graphs: o.output_partition_graphs,
    }
}

/// Errors: `Unimplemented` for feeds and fetches in device memory: what comes over the wire is in the host's.
fn callable_options(o: pb::CallableOptions) -> Result<CallableOptions> {
    if !o.feed_devices.is_empty() || !o.fetch_devices.is_empty() {
        return Err(unimplemented(
            "CallableOptions::feed_devices and fetch_devices are for sessions in the client's own process; a remote session feeds and \
             fetches host memory",
        ));
    }
    let connections = o.tensor_connection.into_iter().map(|c| TensorConnection { from: c.from_tensor, to: c.to_tensor }).collect();
    Ok(CallableOptions {
        signature: Signature { feeds: o.feed, fetches: o.fetch, targets: o.target, connections },
        options: run_options(&o.run_options.unwrap_or_default()),
    })
}

fn run_metadata(m: &RunMetadata) -> Result<pb::RunMetadata> {
    Ok(pb::RunMetadata {
        step_stats: (!m.stats.is_empty()).then(|| step_stats_to_proto(&m.stats)),
        cost_graph: cost_graph(m.costs.clone()),
        partition_graphs: m.partition_graphs.iter().map(partition_graph).collect::<Result<_>>()?,
        ..Default::default()
    })
}

impl MasterService {
    /// Answers with what a future makes; it is dropped when the call is given up.
    fn in_background(&self, options: CallOptions, respond: Respond, future: impl Future<Output = Result<Segments>> + Send + 'static) {
        let pool: &Arc<dyn ComputePool> = self.inline.pool();
        let pooled = Pooled::start(pool, async move { respond(future.await) });
        if let Some(cancellation) = &options.cancellation {
            // The manager belongs to this one call and goes with it.
            let given_up = pooled.clone();
            if cancellation.register(move |_| given_up.give_up()).is_err() {
                pooled.give_up();
            }
        }
    }

    fn run_step(&self, request: &Message, options: CallOptions, respond: Respond) {
        let (r, feeds) = match decode_with_tensors::<pb::RunStepRequest, (String, Tensor)>(request, 2) {
            Ok(decoded) => decoded,
            Err(e) => return respond(Err(e)),
        };
        let (names, in_body) = (r.fetch.clone(), r.store_errors_in_response_body);
        let fed: Vec<&str> = feeds.iter().map(|(name, _)| name.as_str()).collect();
        let kind = kind(("RunStep", &r.session_handle, fed, &r.fetch, &r.target));
        let request = RunRequest {
            feeds,
            fetches: r.fetch,
            targets: r.target,
            options: run_options(&r.options.unwrap_or_default()),
            partial_run_handle: r.partial_run_handle,
            request_id: r.request_id,
        };
        let done: Done<RunResponse> = Box::new(move |outcome| respond(run_step_response(names, outcome, in_body)));
        let master = self.master.clone();
        self.inline.run(kind, move || master.run_step(&r.session_handle, request, options, done));
    }

    fn run_callable(&self, request: &Message, options: CallOptions, respond: Respond) {
        let (r, feeds) = match decode_with_tensors::<pb::RunCallableRequest, Tensor>(request, 3) {
            Ok(decoded) => decoded,
            Err(e) => return respond(Err(e)),
        };
        let done: Done<RunResponse> = Box::new(move |outcome| {
            respond(outcome.and_then(|response| {
                let message = pb::RunCallableResponse { metadata: Some(run_metadata(&response.metadata)?), ..Default::default() };
                encode_with_tensors(&message, 1, &response.fetches)
            }))
        });
        let master = self.master.clone();
        let done = not_to_be_sent_again(done);
        let kind = kind(("RunCallable", &r.session_handle, r.handle));
        self.inline.run(kind, move || master.run_callable(&r.session_handle, r.handle, feeds, r.request_id, options, done));
    }
}

/// Gives an `Unavailable` of a call as `Aborted`, on which clients make a new session just as well. They send a call again that has
/// ended with `Unavailable` as a whole, under the same request id: it is refused as one that came twice, and hides the cause.
fn not_to_be_sent_again<T: 'static>(done: Done<T>) -> Done<T> {
    let is_lost = |e: &Error| e.code() == Code::Unavailable;
    Box::new(move |result: Result<T>| done(result.map_err(|e| if is_lost(&e) { Error::new(Code::Aborted, e.message()) } else { e })))
}

/// The response names each tensor as the request did.
fn run_step_response(names: Vec<String>, outcome: Result<RunResponse>, errors_in_body: bool) -> Result<Segments> {
    let response = match outcome {
        Ok(response) => response,
        Err(e) if errors_in_body => {
            return Segments::of_message(&pb::RunStepResponse {
                metadata: Some(pb::RunMetadata::default()),
                status_code: e.code() as i32,
                status_error_message: e.message(),
                ..Default::default()
            });
        }
        Err(e) => return Err(e),
    };
    let tensors: Vec<(String, Tensor)> = names.into_iter().zip(response.fetches).collect();
    let message = pb::RunStepResponse { metadata: Some(run_metadata(&response.metadata)?), ..Default::default() };
    encode_with_tensors(&message, 1, &tensors)
}
