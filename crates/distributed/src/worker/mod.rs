//! `Worker`: a task's answers to masters and to other workers (TF: `Worker`, `GrpcWorker`, `SessionMgr`).

mod partial_run;
mod recv_tensor;
mod run_graph;
mod sessions;

use crate::call::{CallOptions, Done};
use crate::env::WorkerEnv;
use crate::rendezvous_mgr::RendezvousMgr;
use crate::request_ids::RecentRequestIds;
use crate::worker_interface::*;
use ferroflow_graph::kernel::Received;
use ferroflow_runtime::NodeStats;
use parking_lot::Mutex;
use partial_run::PartialRuns;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

pub(crate) use run_graph::{LocalOutcome, LocalRun, not_valid};
pub use sessions::Sessions;

/// What a CPU device reports, in bytes; TF's CPU devices report this number too, which limits nothing.
const MEMORY_LIMIT: i64 = 256 << 20;

/// How many request ids a worker remembers.
const REMEMBERED_REQUESTS: usize = 100_000;

/// Steps whose transfers are kept until they are fetched.
const LOGGED_STEPS: usize = 64;

/// A task at work.
pub struct Worker {
    env: Arc<WorkerEnv>,
    sessions: Sessions,
    rendezvous_mgr: Arc<RendezvousMgr>,
    recent_requests: RecentRequestIds,
    partial_runs: PartialRuns,
    logs_transfers: AtomicBool,
    transfer_log: Mutex<BTreeMap<i64, Vec<NodeStats>>>,
}

impl Worker {
    /// A worker without sessions.
    pub fn new(env: Arc<WorkerEnv>) -> Arc<Worker> {
        Arc::new(Worker {
            sessions: Sessions::new(&env),
            env,
            rendezvous_mgr: Arc::default(),
            recent_requests: RecentRequestIds::new(REMEMBERED_REQUESTS),
            partial_runs: PartialRuns::default(),
            logs_transfers: AtomicBool::new(false),
            transfer_log: Mutex::default(),
        })
    }

    /// What it is made of.
    pub fn env(&self) -> &Arc<WorkerEnv> {
        &self.env
    }

    /// The sessions that it holds.
    pub fn sessions(&self) -> &Sessions {
        &self.sessions
    }

    /// The meeting places of its steps.
    pub fn rendezvous_mgr(&self) -> &Arc<RendezvousMgr> {
        &self.rendezvous_mgr
    }

    /// Its devices.
    pub fn device_attributes(&self) -> Vec<DeviceAttributes> {
        let one = |d: &Arc<ferroflow_runtime::Device>| DeviceAttributes {
            name: d.info.name.to_string(),
            device_type: d.device_type().to_owned(),
            memory_limit: MEMORY_LIMIT,
            incarnation: d.info.incarnation,
        };
        self.env.devices.iter().map(one).collect()
    }

    /// Empties resource containers on all devices; none named means the default one.
    pub fn clear_containers(&self, containers: &[String]) {
        for device in &self.env.devices {
            if containers.is_empty() {
                device.resources.clear("");
            }
            containers.iter().for_each(|c| device.resources.clear(c));
        }
    }

    fn log_transfers(&self, step_id: i64, transfers: Vec<NodeStats>) {
        let mut log = self.transfer_log.lock();
        log.entry(step_id).or_default().extend(transfers);
        while log.len() > LOGGED_STEPS {
            log.pop_first();
        }
    }
}

impl WorkerInterface for Arc<Worker> {
    fn get_status(&self, _: CallOptions, done: Done<Vec<DeviceAttributes>>) {
        done(Ok(self.device_attributes()));
    }

    fn create_worker_session(&self, _: CallOptions, request: CreateWorkerSessionRequest, done: Done<()>) {
        done(self.sessions.create(&self.env, &request).map(drop));
    }

    fn delete_worker_session(&self, _: CallOptions, session_handle: Arc<str>, done: Done<()>) {
        self.sessions.delete(&session_handle);
        done(Ok(()));
    }

    fn register_graph(&self, _: CallOptions, request: RegisterGraphRequest, done: Done<Arc<str>>) {
        let register = || {
            let session = self.sessions.find(&request.session_handle, request.create_worker_session_called)?;
            let graph = session.graphs().register(&self.env, &session, &request.graph)?;
            Ok(graph.handle().clone())
        };
        done(register());
    }

    fn deregister_graph(&self, _: CallOptions, session_handle: Arc<str>, create_called: bool, graph_handle: Arc<str>, done: Done<()>) {
        done(self.sessions.find(&session_handle, create_called).and_then(|s| s.graphs().deregister(&graph_handle)));
    }

    fn run_graph(&self, options: CallOptions, request: RunGraphRequest, done: Done<RunGraphResponse>) {
        let label = if request.is_partial { "PartialRunGraph (Worker)" } else { "RunGraph (Worker)" };
        if let Err(e) = self.recent_requests.track(request.request_id, label) {
            return done(Err(e));
        }
        if request.is_partial { self.run_partially(options, request, done) } else { self.run_whole(options, request, done) }
    }

    fn cleanup_graph(&self, _: CallOptions, step_id: i64, done: Done<()>) {
        self.rendezvous_mgr.cleanup(step_id);
        self.partial_runs.forget(step_id);
        done(Ok(()));
    }

    fn cleanup_all(&self, _: CallOptions, containers: Vec<String>, done: Done<()>) {
        self.clear_containers(&containers);
        done(Ok(()));
    }

    fn recv_tensor(&self, options: CallOptions, request: RecvTensorRequest, done: Done<Received>) {
        self.serve_recv_tensor(options, request, done);
    }

    fn logging(&self, _: CallOptions, request: LoggingRequest, done: Done<Vec<(i64, Vec<NodeStats>)>>) {
        if request.enable {
            self.logs_transfers.store(true, Ordering::Relaxed);
        }
        let mut log = self.transfer_log.lock();
        let fetched = request.fetch_step_ids.iter().filter_map(|id| Some((*id, log.get(id)?.clone()))).collect();
        if request.clear {
            log.clear();
        }
        drop(log);
        if request.disable {
            self.logs_transfers.store(false, Ordering::Relaxed);
        }
        done(Ok(fetched));
    }
}
