//! The other tasks of a cluster: one connection per peer, whatever cluster or session asks for it (TF: `GrpcWorkerCache`, `GrpcChannelCache`).

use crate::channel::Channel;
use crate::inline::Inline;
use crate::worker_client::RemoteWorker;
use ferroflow_distributed::{ClusterSpec, TaskId, Worker, WorkerCache, WorkerCacheFactory, WorkerInterface};
use ferroflow_tensor::Result;
use parking_lot::Mutex;
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, OnceLock, Weak};
use tokio::runtime::Handle;

/// Makes ways to tasks; belongs to one task.
#[derive(Clone)]
pub(crate) struct GrpcWorkerCacheFactory(pub(crate) Arc<Peers>);

/// What all caches of a task share.
pub(crate) struct Peers {
    io: Handle,
    inline: Arc<Inline>,
    /// The address of this task in the cluster that it was started in.
    own_address: String,
    /// This task's worker, known as soon as it exists. It owns what owns this.
    own_worker: OnceLock<Weak<Worker>>,
    /// By address.
    channels: Mutex<HashMap<String, Channel>>,
}

impl Peers {
    pub(crate) fn new(io: Handle, inline: Arc<Inline>, own_address: String) -> Arc<Peers> {
        Arc::new(Peers { io, inline, own_address, own_worker: OnceLock::new(), channels: Mutex::default() })
    }

    /// Makes the task reach itself by calling its worker.
    pub(crate) fn set_own_worker(&self, worker: &Arc<Worker>) {
        // Set once, by whoever starts the server.
        let _ = self.own_worker.set(Arc::downgrade(worker));
    }

    fn channel(&self, task: &TaskId, address: &str) -> Result<Channel> {
        let mut channels = self.channels.lock();
        if let Some(channel) = channels.get(address) {
            return Ok(channel.clone());
        }
        let channel = Channel::new(&task.name(), address, &self.io)?;
        channels.insert(address.to_owned(), channel.clone());
        Ok(channel)
    }
}

impl WorkerCacheFactory for GrpcWorkerCacheFactory {
    fn worker_cache(&self, cluster: &ClusterSpec) -> Result<Arc<dyn WorkerCache>> {
        let peers = self.0.clone();
        let mut workers = BTreeMap::new();
        for (task, address) in cluster.tasks() {
            if address == peers.own_address {
                continue;
            }
            let channel = peers.channel(&task, address)?;
            let worker = RemoteWorker::over(channel, peers.inline.clone());
            workers.insert(task, Arc::new(worker) as Arc<dyn WorkerInterface>);
        }
        Ok(Arc::new(GrpcWorkerCache { peers, cluster: cluster.clone(), workers }))
    }
}

/// The tasks of one cluster.
struct GrpcWorkerCache {
    peers: Arc<Peers>,
    cluster: ClusterSpec,
    workers: BTreeMap<TaskId, Arc<dyn WorkerInterface>>,
}

impl WorkerCache for GrpcWorkerCache {
    fn cluster(&self) -> &ClusterSpec {
        &self.cluster
    }

    fn worker(&self, task: &TaskId) -> Option<Arc<dyn WorkerInterface>> {
        if let Some(worker) = self.workers.get(task) {
            return Some(worker.clone());
        }
        let is_own = self.cluster.address(task)? == self.peers.own_address;
        let own = self.peers.own_worker.get().filter(|_| is_own)?.upgrade()?;
        Some(Arc::new(own))
    }
}
