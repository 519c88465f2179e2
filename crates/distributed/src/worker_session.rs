//! `WorkerSession`: what one client session has on a task: its view of the cluster, its kernels, its graphs (TF: `WorkerSession`).

use crate::cluster::TaskId;
use crate::env::WorkerEnv;
use crate::graph_mgr::GraphMgr;
use crate::worker_interface::{CreateWorkerSessionRequest, WorkerCache};
use ferroflow_runtime::{Device, KernelCache};
use ferroflow_tensor::{DeviceSpec, Result};
use std::sync::Arc;

/// A session on a worker.
pub struct WorkerSession {
    handle: Arc<str>,
    /// Which task this is in the session's cluster.
    task: TaskId,
    worker_cache: Arc<dyn WorkerCache>,
    /// Devices and the kernels that live on them as long as the session.
    devices: Vec<(Arc<Device>, Arc<KernelCache>)>,
    graphs: GraphMgr,
    /// Task and incarnation of the session's master, if it told.
    master: (String, i64),
}

impl WorkerSession {
    /// The session that requests without a session of their own belong to.
    pub(crate) fn legacy(env: &WorkerEnv) -> WorkerSession {
        WorkerSession {
            handle: "".into(),
            task: env.task.clone(),
            worker_cache: env.worker_cache.clone(),
            devices: with_kernels(env.devices.clone()),
            graphs: GraphMgr::default(),
            master: Default::default(),
        }
    }

    /// A session as a master asks for it.
    ///
    /// Errors: `InvalidArgument` for a cluster that cannot be reached or does not contain the task it names.
    pub(crate) fn new(env: &WorkerEnv, request: &CreateWorkerSessionRequest) -> Result<WorkerSession> {
        let mut devices = env.devices.clone();
        let (mut task, mut worker_cache) = (env.task.clone(), env.worker_cache.clone());
        if let Some((cluster, own)) = &request.cluster {
            worker_cache = env.cache_factory.worker_cache(cluster)?;
            task = own.clone();
            devices = devices.iter().map(|d| Arc::new(d.renamed(&own.job, own.index))).collect();
        }
        if request.isolate_session_state {
            devices = devices.iter().map(|d| Arc::new(d.isolated())).collect();
        }
        Ok(WorkerSession {
            handle: request.session_handle.clone(),
            task,
            worker_cache,
            devices: with_kernels(devices),
            graphs: GraphMgr::default(),
            master: (request.master_task.clone(), request.master_incarnation),
        })
    }

    /// Its handle; empty for the legacy session.
    pub fn handle(&self) -> &Arc<str> {
        &self.handle
    }

    /// Which task this is in the session's cluster.
    pub fn task(&self) -> &TaskId {
        &self.task
    }

    /// The session's graphs.
    pub(crate) fn graphs(&self) -> &GraphMgr {
        &self.graphs
    }

    pub(crate) fn worker_cache(&self) -> &Arc<dyn WorkerCache> {
        &self.worker_cache
    }

    pub(crate) fn devices(&self) -> &[(Arc<Device>, Arc<KernelCache>)] {
        &self.devices
    }

    /// Whether a device is of this task.
    pub(crate) fn is_own(&self, device: &DeviceSpec) -> bool {
        device.task == Some(self.task.index) && device.job.as_deref() == Some(&self.task.job)
    }

    /// Whether its master is the given task before it restarted.
    pub(crate) fn is_orphan_of(&self, master_task: &str, master_incarnation: i64) -> bool {
        !master_task.is_empty() && self.master.0 == master_task && self.master.1 != master_incarnation
    }
}

fn with_kernels(devices: Vec<Arc<Device>>) -> Vec<(Arc<Device>, Arc<KernelCache>)> {
    devices.into_iter().map(|d| (d, Arc::new(KernelCache::new()))).collect()
}
