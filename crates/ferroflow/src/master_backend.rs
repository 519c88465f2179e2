//! Sessions on a master: one of this process, called directly, or one behind `grpc://host:port`.

use ferroflow_distributed::{
    CallOptions, CreateSessionRequest, Done, ExtendRequest, GraphSource, Master, RunOptions, RunRequest, RunResponse, block_on,
    new_request_id, pending,
};
use ferroflow_graph::NodeGraph;
use ferroflow_grpc::{IoThread, RemoteMaster};
use ferroflow_proto as pb;
use ferroflow_tensor::Result;
use ferroflow_train::session::{Backend, Session, StepRequest, StepResponse};
use parking_lot::Mutex;
use std::sync::Arc;
use std::time::Duration;

/// Which master.
enum Where {
    Here(Arc<Master>),
    There(RemoteMaster),
}

/// Options of a session on a master.
#[derive(Clone, Debug, Default)]
pub struct SessionConfig {
    /// Tasks that the session needs, as partial device names; no filter means all tasks of the cluster. A session waits for every task
    /// that it needs.
    pub device_filters: Vec<String>,
    /// Runs nodes that ask for a device type that there is not, all the same.
    pub allow_soft_placement: bool,
    /// Gives the session variables of its own.
    pub isolate_session_state: bool,
    /// Limit of every call that has none of its own, opening the session included.
    pub operation_timeout: Option<Duration>,
}

impl SessionConfig {
    fn to_proto(&self) -> pb::ConfigProto {
        pb::ConfigProto {
            device_filters: self.device_filters.clone(),
            allow_soft_placement: self.allow_soft_placement,
            isolate_session_state: self.isolate_session_state,
            operation_timeout_in_ms: self.operation_timeout.map_or(0, |t| t.as_millis().max(1) as i64),
            ..Default::default()
        }
    }
}

/// A session on a master; opened with the first graph.
struct MasterBackend {
    master: Where,
    config: SessionConfig,
    target: String,
    /// Handle and version, once there is a session.
    session: Mutex<Option<(String, i64)>>,
}

impl MasterBackend {
    fn options(&self) -> CallOptions {
        CallOptions { timeout: self.config.operation_timeout, ..CallOptions::default() }
    }

    fn handle(&self) -> Option<String> {
        self.session.lock().as_ref().map(|(handle, _)| handle.clone())
    }
}

impl Backend for MasterBackend {
    fn extend(&self, graph: NodeGraph) -> Result<()> {
        let mut session = self.session.lock();
        let graph = GraphSource::Graph(graph);
        match session.as_mut() {
            None => {
                let request = CreateSessionRequest { graph, config: self.config.to_proto(), target: self.target.clone() };
                let handle = match &self.master {
                    Where::Here(master) => block_on(master.create_session(request))?,
                    Where::There(master) => block_on(pending(|done: Done<String>| master.create_session(request, self.options(), done)))?,
                };
                *session = Some((handle, 0));
            }
            Some((handle, version)) => {
                let request = ExtendRequest { graph, current_version: *version };
                *version = match &self.master {
                    Where::Here(master) => master.extend_session(handle, request)?,
                    Where::There(master) => {
                        block_on(pending(|done: Done<i64>| master.extend_session(handle, request, self.options(), done)))?
                    }
                };
            }
        }
        Ok(())
    }

    fn run(&self, request: StepRequest) -> Result<StepResponse> {
        let handle = self.handle().unwrap_or_default();
        let run = RunRequest {
            feeds: request.feeds,
            fetches: request.fetches,
            targets: request.targets,
            options: RunOptions { timeout: request.timeout, ..RunOptions::default() },
            request_id: new_request_id(),
            ..RunRequest::default()
        };
        let options = CallOptions { timeout: request.timeout.or(self.config.operation_timeout), ..CallOptions::default() };
        let response: RunResponse = block_on(pending(|done: Done<RunResponse>| match &self.master {
            Where::Here(master) => master.run_step(&handle, run, options, done),
            Where::There(master) => master.run_step(&handle, run, options, done),
        }))?;
        Ok(StepResponse { fetches: response.fetches })
    }

    fn close(&self) -> Result<()> {
        let Some((handle, _)) = self.session.lock().take() else { return Ok(()) };
        match &self.master {
            Where::Here(master) => block_on(master.close_session(&handle)),
            Where::There(master) => block_on(pending(|done: Done<()>| master.close_session(&handle, self.options(), done))),
        }
    }
}

/// A session over `graph` on the master at `grpc://host:port` (TF: `tf.Session("grpc://…")`). Nothing is sent before the first run.
///
/// Errors: `InvalidArgument` for a target of another form.
pub fn connect(target: &str, graph: &ferroflow_graph::Graph, config: SessionConfig) -> Result<Session> {
    let master = RemoteMaster::new(target, IoThread::start()?)?;
    let backend = MasterBackend { master: Where::There(master), config, target: target.to_owned(), session: Mutex::default() };
    Ok(Session::over(graph, Arc::new(backend)))
}

/// A session over `graph` on a master of this process, such as that of a [`crate::Server`].
pub fn session_on(master: &Arc<Master>, graph: &ferroflow_graph::Graph, config: SessionConfig) -> Session {
    let backend = MasterBackend { master: Where::Here(master.clone()), config, target: String::new(), session: Mutex::default() };
    Session::over(graph, Arc::new(backend))
}
