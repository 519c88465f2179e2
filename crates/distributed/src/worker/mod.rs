//! `Worker`: the service of a task that runs parts of graphs for masters and hands tensors to other tasks (TF: `Worker`).

mod graph_mgr;
mod recv;
mod run;
mod session;
mod stats;

pub use session::WorkerSession;

use crate::env::{ClusterSpec, WorkerEnv};
use crate::interface::{
    CallOptions, Callback, CreateWorkerSessionRequest, DeviceAttributes, RecvTensorRequest, RegisterGraphRequest, RunGraphRequest,
    RunGraphResponse, WorkerInterface,
};
use crate::rendezvous_mgr::RendezvousMgr;
use crate::request_id::RecentRequestIds;
use ferroflow_graph::kernel::Received;
use ferroflow_proto as pb;
use ferroflow_runtime::Device;
use ferroflow_tensor::error::{aborted, invalid_argument};
use ferroflow_tensor::{DeviceSpec, Result};
use parking_lot::Mutex;
use run::PartialRuns;
use std::collections::HashMap;
use std::sync::Arc;

/// The worker of a task. Shared: calls may come from any thread.
pub struct Worker {
    env: Arc<WorkerEnv>,
    sessions: Mutex<HashMap<String, Arc<WorkerSession>>>,
    /// The session of masters that create none (before TF 1.4).
    legacy: Arc<WorkerSession>,
    rendezvous: RendezvousMgr,
    request_ids: RecentRequestIds,
    partial_runs: PartialRuns,
    transfers: stats::TransferLog,
}

/// How many request ids are remembered.
const REMEMBERED_REQUESTS: usize = 100_000;

impl Worker {
    /// The worker of this environment.
    pub fn new(env: Arc<WorkerEnv>) -> Arc<Worker> {
        let legacy = WorkerSession::new("", env.task.clone(), env.devices.clone(), env.workers.clone(), String::new(), 0);
        Arc::new(Worker {
            env,
            sessions: Mutex::default(),
            legacy: Arc::new(legacy),
            rendezvous: RendezvousMgr::default(),
            request_ids: RecentRequestIds::new(REMEMBERED_REQUESTS),
            partial_runs: PartialRuns::default(),
            transfers: stats::TransferLog::default(),
        })
    }

    /// Its environment.
    pub fn env(&self) -> &Arc<WorkerEnv> {
        &self.env
    }

    /// The devices as they are reported to others.
    pub fn device_attributes(&self) -> Vec<DeviceAttributes> {
        self.env.devices.iter().map(attributes).collect()
    }

    /// How many sessions and unfinished steps it holds.
    pub fn load(&self) -> (usize, usize) {
        (self.sessions.lock().len(), self.rendezvous.len())
    }

    /// Creates a session; one that exists stays as it is.
    ///
    /// Errors: `InvalidArgument` for an empty handle or a cluster that does not hold this task.
    pub fn create_session(&self, request: CreateWorkerSessionRequest) -> Result<()> {
        if request.session_handle.is_empty() {
            return Err(invalid_argument("Session must be non-empty."));
        }
        let server_def = request.server_def.as_ref();
        let own_cluster = server_def.and_then(|d| d.cluster.as_ref()).filter(|c| !c.job.is_empty());
        let (task, mut devices, workers) = match (own_cluster, server_def) {
            (Some(cluster), Some(def)) => {
                let spec = cluster_spec(cluster)?;
                let index = u32::try_from(def.task_index).map_err(|_| invalid_argument("task_index is negative"))?;
                spec.address(&def.job_name, index)?;
                let devices = self.env.devices.iter().map(|d| d.renamed(&def.job_name, index)).collect();
                (DeviceSpec::for_task(&def.job_name, index), devices, self.env.connect.connect(&spec)?)
            }
            _ => (self.env.task.clone(), self.env.devices.clone(), self.env.workers.clone()),
        };
        if request.isolate_session_state {
            devices = devices.iter().map(Device::isolated).collect();
        }
        let session =
            WorkerSession::new(&request.session_handle, task, devices, workers, request.master_task, request.master_incarnation);
        let mut sessions = self.sessions.lock();
        // A master that restarted will never close the sessions of its former life.
        let replaced: Vec<String> = sessions
            .values()
            .filter(|s| s.is_of_former_life(&session))
            .map(|s| s.handle().to_owned())
            .collect();
        let dropped: Vec<_> = replaced.iter().filter_map(|h| sessions.remove(h)).collect();
        sessions.entry(request.session_handle).or_insert_with(|| Arc::new(session));
        drop(sessions);
        drop(dropped);
        Ok(())
    }

    /// The session of this handle.
    ///
    /// Errors: `Aborted` in TF's words, so that a monitored session recovers.
    pub fn session(&self, handle: &str, created: bool) -> Result<Arc<WorkerSession>> {
        if !created {
            return Ok(self.legacy.clone());
        }
        self.sessions.lock().get(handle).cloned().ok_or_else(|| {
            aborted(format!(
                "Session handle is not found: {handle}. Possibly this worker (\"{}\") just restarted.",
                self.env.task_name()
            ))
        })
    }

    /// Drops a session; steps that run keep it alive until they end.
    pub fn delete_session(&self, handle: &str) {
        let session = self.sessions.lock().remove(handle);
        drop(session);
    }

    /// Drops the resources of containers on all devices.
    pub fn clear_containers(&self, containers: &[String]) {
        for device in &self.env.devices {
            if containers.is_empty() {
                device.resources.clear("");
            }
            containers.iter().for_each(|c| device.resources.clear(c));
        }
    }
}

fn attributes(device: &Device) -> DeviceAttributes {
    const MEMORY_LIMIT: i64 = 256 << 20;
    DeviceAttributes {
        name: device.info.name.to_string(),
        device_type: device.device_type().to_owned(),
        memory_limit: MEMORY_LIMIT,
        incarnation: device.info.incarnation,
    }
}

/// A cluster from its message.
///
/// Errors: `InvalidArgument` for a negative index.
pub fn cluster_spec(cluster: &pb::ClusterDef) -> Result<ClusterSpec> {
    let mut spec = ClusterSpec::default();
    for job in &cluster.job {
        let tasks = spec.jobs.entry(job.name.clone()).or_default();
        for (index, address) in &job.tasks {
            let index = u32::try_from(*index).map_err(|_| invalid_argument(format!("job '{}' has a task {index}", job.name)))?;
            tasks.insert(index, address.clone());
        }
    }
    Ok(spec)
}

/// A worker in this process, reached by calling it.
pub struct LocalWorker(pub Arc<Worker>);

impl WorkerInterface for LocalWorker {
    fn get_status(&self, _: CallOptions, done: Callback<Vec<DeviceAttributes>>) {
        done(Ok(self.0.device_attributes()));
    }

    fn create_worker_session(&self, request: CreateWorkerSessionRequest, _: CallOptions, done: Callback<()>) {
        done(self.0.create_session(request));
    }

    fn delete_worker_session(&self, session_handle: String, _: CallOptions, done: Callback<()>) {
        self.0.delete_session(&session_handle);
        done(Ok(()));
    }

    fn register_graph(&self, request: RegisterGraphRequest, _: CallOptions, done: Callback<String>) {
        done(self.0.register_graph(request));
    }

    fn deregister_graph(&self, session_handle: String, graph_handle: String, _: CallOptions, done: Callback<()>) {
        done(self.0.session(&session_handle, true).and_then(|s| s.deregister(&graph_handle)));
    }

    fn run_graph(&self, request: RunGraphRequest, options: CallOptions, done: Callback<RunGraphResponse>) {
        self.0.run_graph(request, options, done);
    }

    fn cleanup_graph(&self, step_id: i64, _: CallOptions, done: Callback<()>) {
        self.0.cleanup_graph(step_id);
        done(Ok(()));
    }

    fn cleanup_all(&self, containers: Vec<String>, _: CallOptions, done: Callback<()>) {
        self.0.clear_containers(&containers);
        done(Ok(()));
    }

    fn recv_tensor(&self, request: RecvTensorRequest, options: CallOptions, done: Callback<Received>) {
        self.0.recv_tensor(request, options, done);
    }

    fn logging(&self, request: pb::LoggingRequest, _: CallOptions, done: Callback<pb::LoggingResponse>) {
        done(Ok(self.0.transfers.answer(&request)));
    }
}
