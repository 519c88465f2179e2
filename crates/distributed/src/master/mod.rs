//! `Master`: a task's answers to clients (TF: `Master`, `GrpcMasterService`). Any task can be the master of a session.

pub mod config;
mod create;
mod devices;

use crate::call::{CallOptions, Done, join_all, pending};
use crate::env::WorkerEnv;
use crate::master_session::{CallableOptions, ExtendRequest, MasterSession, RunRequest, RunResponse, Signature};
use crate::request_ids::RecentRequestIds;
use crate::worker::Worker;
use crate::worker_interface::DeviceAttributes;
use ferroflow_proto as pb;
use ferroflow_tensor::error::{aborted, deadline_exceeded, invalid_argument};
use ferroflow_tensor::{DeviceSpec, Result, Tensor};
use parking_lot::Mutex;
use std::collections::HashMap;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

pub use create::{CreateSessionRequest, GraphSource};
pub use devices::WaitLimits;
pub(crate) use devices::first;

/// How many request ids a master remembers.
const REMEMBERED_REQUESTS: usize = 10_000;

/// How long closing waits for each worker.
pub(crate) const CLOSE_LIMIT: Duration = Duration::from_secs(10);

/// What a master is made of.
pub struct MasterEnv {
    /// The task's own worker, which is never asked through a transport.
    pub worker: Arc<Worker>,
    /// Options that are merged over those of every session.
    pub default_session_config: pb::ConfigProto,
    /// How long new sessions wait for silent tasks.
    pub wait_limits: WaitLimits,
}

impl MasterEnv {
    /// What the task is made of.
    pub fn worker_env(&self) -> &Arc<WorkerEnv> {
        self.worker.env()
    }
}

/// The master of a task.
pub struct Master {
    env: Arc<MasterEnv>,
    sessions: Mutex<HashMap<String, Arc<MasterSession>>>,
    recent_requests: RecentRequestIds,
}

impl Master {
    /// A master without sessions.
    pub fn new(env: MasterEnv) -> Arc<Master> {
        Arc::new(Master { env: Arc::new(env), sessions: Mutex::default(), recent_requests: RecentRequestIds::new(REMEMBERED_REQUESTS) })
    }

    /// What it is made of.
    pub fn env(&self) -> &Arc<MasterEnv> {
        &self.env
    }

    /// Opens a session: finds the devices, places the whole graph, opens a session on every worker. Returns its handle.
    ///
    /// Errors: those of [`SessionConfig::new`](config::SessionConfig::new) and of placing; `Unavailable` or `DeadlineExceeded` naming
    /// silent tasks, if there is a limit.
    pub async fn create_session(&self, request: CreateSessionRequest) -> Result<String> {
        let session = create::create(&self.env, request).await?;
        let handle = session.handle().to_string();
        self.sessions.lock().insert(handle.clone(), session);
        Ok(handle)
    }

    /// The session of this handle.
    ///
    /// Errors: `Aborted` `Session … is not found.`, on which clients make a new session.
    pub fn session(&self, handle: &str) -> Result<Arc<MasterSession>> {
        let session = self.sessions.lock().get(handle).cloned().ok_or_else(|| aborted(format!("Session {handle} is not found.")))?;
        session.touch();
        Ok(session)
    }

    /// The sessions that are open.
    pub fn sessions(&self) -> Vec<Arc<MasterSession>> {
        self.sessions.lock().values().cloned().collect()
    }

    /// Adds nodes to a session's graph; returns the new version.
    ///
    /// Errors: `Aborted` for an unknown session or another version than the session's; those of reading and placing the graph.
    pub fn extend_session(&self, handle: &str, request: ExtendRequest) -> Result<i64> {
        self.session(handle)?.extend(request)
    }

    /// Runs one step, on the calling thread as far as it can.
    pub fn run_step(&self, handle: &str, request: RunRequest, options: CallOptions, done: Done<RunResponse>) {
        let checked = self.recent_requests.track(request.request_id, "RunStep (Master)");
        match checked.and_then(|()| self.session(handle)) {
            Ok(session) => session.run(request, options, done),
            Err(e) => done(Err(e)),
        }
    }

    /// Prepares a step that is run in several calls; returns its handle.
    pub fn partial_run_setup(&self, handle: &str, signature: Signature, request_id: i64, done: Done<String>) {
        let checked = self.recent_requests.track(request_id, "PartialRunSetup (Master)");
        match checked.and_then(|()| self.session(handle)) {
            Ok(session) => session.partial_run_setup(signature, done),
            Err(e) => done(Err(e)),
        }
    }

    /// Prepares a step with fixed feeds and fetches; returns its handle.
    pub fn make_callable(&self, handle: &str, options: CallableOptions, request_id: i64, done: Done<i64>) {
        let checked = self.recent_requests.track(request_id, "MakeCallable (Master)");
        match checked.and_then(|()| self.session(handle)) {
            Ok(session) => session.make_callable(options, done),
            Err(e) => done(Err(e)),
        }
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
        let checked = self.recent_requests.track(request_id, "RunCallable (Master)");
        match checked.and_then(|()| self.session(handle)) {
            Ok(session) => session.run_callable(callable, feeds, options, done),
            Err(e) => done(Err(e)),
        }
    }

    /// Forgets a callable.
    ///
    /// Errors: `Aborted` for an unknown session, `InvalidArgument` for an unknown callable.
    pub fn release_callable(&self, handle: &str, callable: i64) -> Result<()> {
        self.session(handle)?.release_callable(callable)
    }

    /// Ends a session: its steps are cancelled, its worker sessions deleted.
    ///
    /// Errors: `Aborted` for an unknown session; trouble with workers is only logged.
    pub async fn close_session(&self, handle: &str) -> Result<()> {
        let session = self.sessions.lock().remove(handle);
        match session {
            Some(session) => {
                session.close().await;
                Ok(())
            }
            None => Err(aborted(format!("Session {handle} is not found. Possibly, this master has restarted."))),
        }
    }

    /// Devices as (local, remote). With a session all of its devices count as local, unless it brought its own cluster.
    ///
    /// Errors: `InvalidArgument` for an unknown session.
    pub async fn list_devices(&self, handle: &str) -> Result<(Vec<DeviceAttributes>, Vec<DeviceAttributes>)> {
        if !handle.is_empty() {
            let session = self.session(handle).map_err(|_| invalid_argument(format!("Session {handle} is not found.")))?;
            return Ok(session.list_devices());
        }
        let peers = create::peers(self.env.worker_env(), &self.env.worker_env().worker_cache, &self.env.worker_env().task, &[]);
        let remote = devices::find_devices(self.env.worker_env(), &peers, self.env.wait_limits).await?;
        Ok((self.env.worker.device_attributes(), remote.into_iter().flat_map(|(_, devices)| devices).collect()))
    }

    /// Closes all sessions and empties resource containers on this task and on those that the filters name; no container named means
    /// the default one.
    ///
    /// Errors: `InvalidArgument` for a malformed filter; `DeadlineExceeded` naming a task that does not answer; the first error of a worker.
    pub async fn reset(&self, containers: Vec<String>, device_filters: &[String]) -> Result<()> {
        let filters = device_filters.iter().map(|f| DeviceSpec::parse(f)).collect::<Result<Vec<_>>>()?;
        let sessions: Vec<Arc<MasterSession>> = self.sessions.lock().drain().map(|(_, s)| s).collect();
        join_all(sessions.iter().map(|s| s.close())).await;
        let env = self.env.worker_env();
        self.env.worker.clear_containers(&containers);
        let peers = create::peers(env, &env.worker_cache, &env.task, &filters);
        let limit = self.env.wait_limits.give_up.map_or(CLOSE_LIMIT, |limit| limit.min(CLOSE_LIMIT));
        let calls = peers.iter().map(|p| {
            let cleaned = pending(|done| p.worker.cleanup_all(CallOptions::within(limit), containers.clone(), done));
            async move {
                let answer = first(pin!(cleaned), env.timer.sleep(limit)).await;
                let silent =
                    || deadline_exceeded(format!("{} at {} does not answer: its containers may be as before", p.task.name(), p.address));
                answer.unwrap_or_else(|| Err(silent())).map_err(|e| e.at_task(&p.task.name()))
            }
        });
        join_all(calls).await.into_iter().collect()
    }

    /// Closes the sessions that nobody has used for so long (TF: `session_gc_seconds`; not done unless asked for).
    pub async fn close_idle_sessions(&self, idle: Duration) {
        let mut old = Vec::new();
        self.sessions.lock().retain(|handle, session| {
            let keep = session.idle() < idle;
            if !keep {
                tracing::warn!(session = handle, "closing a session that nobody uses");
                old.push(session.clone());
            }
            keep
        });
        join_all(old.iter().map(|s| s.close())).await;
    }
}
