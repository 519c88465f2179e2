//! `WorkerSession`: what a worker keeps for one session of a master: its devices, kernels and graphs (TF: `WorkerSession`).

use super::graph_mgr::RegisteredGraph;
use crate::env::WorkerCache;
use ferroflow_runtime::{Device, KernelCache};
use ferroflow_tensor::error::aborted;
use ferroflow_tensor::{DeviceSpec, Result};
use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::Arc;

/// A session at a worker.
pub struct WorkerSession {
    handle: Arc<str>,
    task: DeviceSpec,
    devices: Vec<SessionDevice>,
    workers: Arc<dyn WorkerCache>,
    master_task: String,
    master_incarnation: i64,
    graphs: Mutex<Graphs>,
}

/// A device with the kernels that the session has made on it.
pub(super) struct SessionDevice {
    pub(super) device: Arc<Device>,
    pub(super) kernels: Arc<KernelCache>,
}

#[derive(Default)]
struct Graphs {
    registered: HashMap<String, Arc<RegisteredGraph>>,
    count: u64,
}

impl WorkerSession {
    pub(super) fn new(
        handle: &str,
        task: DeviceSpec,
        devices: Vec<Device>,
        workers: Arc<dyn WorkerCache>,
        master_task: String,
        master_incarnation: i64,
    ) -> WorkerSession {
        let devices = devices
            .into_iter()
            .map(|d| SessionDevice { device: Arc::new(d), kernels: Arc::new(KernelCache::new()) })
            .collect();
        WorkerSession { handle: handle.into(), task, devices, workers, master_task, master_incarnation, graphs: Mutex::default() }
    }

    /// Its handle.
    pub fn handle(&self) -> &str {
        &self.handle
    }

    pub(super) fn shared_handle(&self) -> &Arc<str> {
        &self.handle
    }

    /// The tasks of its cluster.
    pub fn workers(&self) -> &Arc<dyn WorkerCache> {
        &self.workers
    }

    /// Whether a device belongs to this task, under the name that the task has in this session.
    pub fn is_own_task(&self, device: &DeviceSpec) -> bool {
        self.task.same_task(device)
    }

    pub(super) fn devices(&self) -> &[SessionDevice] {
        &self.devices
    }

    /// The device of this full name.
    pub(super) fn device(&self, name: &str) -> Option<&SessionDevice> {
        self.devices.iter().find(|d| &*d.device.info.name == name)
    }

    /// Whether the master that made `newer` is the one that made this, after a restart.
    pub(super) fn is_of_former_life(&self, newer: &WorkerSession) -> bool {
        !newer.master_task.is_empty()
            && self.master_task == newer.master_task
            && self.master_incarnation != newer.master_incarnation
    }

    /// Keeps a graph; the answer is its handle.
    pub(super) fn keep(&self, graph: RegisteredGraph) -> String {
        let mut graphs = self.graphs.lock();
        graphs.count += 1;
        let handle = format!("{:016x}", graphs.count);
        graphs.registered.insert(handle.clone(), Arc::new(graph));
        handle
    }

    /// The graph of this handle.
    ///
    /// Errors: `Aborted` in TF's words.
    pub(super) fn graph(&self, handle: &str) -> Result<Arc<RegisteredGraph>> {
        self.graphs.lock().registered.get(handle).cloned().ok_or_else(|| aborted(format!("Graph handle is not found: {handle}")))
    }

    /// Forgets a graph.
    ///
    /// Errors: `Aborted` if there is none of this handle.
    pub fn deregister(&self, handle: &str) -> Result<()> {
        match self.graphs.lock().registered.remove(handle) {
            Some(_) => Ok(()),
            None => Err(aborted(format!("Graph handle is not found: {handle}. Possibly, this worker just restarted."))),
        }
    }
}
