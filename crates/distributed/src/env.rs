//! `WorkerEnv`: what a task is made of. Nothing global, so that a whole cluster fits into one process (TF: `WorkerEnv`).

use crate::cluster::TaskId;
use crate::timer::Timer;
use crate::waits::Waits;
use crate::worker_interface::{WorkerCache, WorkerCacheFactory};
use ferroflow_graph::OpRegistry;
use ferroflow_graph::kernel::ComputePool;
use ferroflow_runtime::Device;
use std::sync::Arc;

/// What a task is made of.
pub struct WorkerEnv {
    /// Which task it is.
    pub task: TaskId,
    /// Its devices; the first is the one on which clients' tensors live.
    pub devices: Vec<Arc<Device>>,
    /// Its compute threads.
    pub pool: Arc<dyn ComputePool>,
    /// The ops that it knows.
    pub registry: Arc<OpRegistry>,
    /// The other tasks of its cluster.
    pub worker_cache: Arc<dyn WorkerCache>,
    /// How it reaches the tasks of clusters that sessions bring along.
    pub cache_factory: Arc<dyn WorkerCacheFactory>,
    /// Calls back after a while.
    pub timer: Arc<Timer>,
    /// Who waits for whom.
    pub waits: Waits,
}
