//! `WorkerEnv` and the view of the cluster: what a server gives its worker and its master; nothing is global (TF: `WorkerEnv`, `WorkerCacheInterface`).

use crate::interface::{Timer, WorkerInterface};
use ferroflow_graph::OpRegistry;
use ferroflow_graph::kernel::ComputePool;
use ferroflow_runtime::Device;
use ferroflow_tensor::error::invalid_argument;
use ferroflow_tensor::{DeviceSpec, Result};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Addresses of tasks by job and index; indexes may have holes (TF: `ClusterSpec`).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClusterSpec {
    /// Job name to task index to `host:port`.
    pub jobs: BTreeMap<String, BTreeMap<u32, String>>,
}

impl ClusterSpec {
    /// The address of a task.
    ///
    /// Errors: `InvalidArgument` naming what is missing: the job or the index.
    pub fn address(&self, job: &str, task: u32) -> Result<&str> {
        let tasks = self.jobs.get(job).ok_or_else(|| {
            let known: Vec<&str> = self.jobs.keys().map(|j| j.as_str()).collect();
            invalid_argument(format!("the cluster has no job '{job}'; its jobs are {}", known.join(", ")))
        })?;
        tasks.get(&task).map(|a| a.as_str()).ok_or_else(|| {
            let known: Vec<String> = tasks.keys().map(|t| t.to_string()).collect();
            invalid_argument(format!("job '{job}' has no task {task}; its tasks are {}", known.join(", ")))
        })
    }

    /// Every task with its address, as `/job:j/replica:0/task:i`, by job and index.
    pub fn tasks(&self) -> impl Iterator<Item = (DeviceSpec, &str)> {
        self.jobs.iter().flat_map(|(job, tasks)| tasks.iter().map(|(i, a)| (DeviceSpec::for_task(job, *i), a.as_str())))
    }

    /// How many tasks there are.
    pub fn len(&self) -> usize {
        self.jobs.values().map(|t| t.len()).sum()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// The other tasks of a cluster, as one task reaches them.
pub trait WorkerCache: Send + Sync {
    /// The names of all tasks, the own one included, as `/job:j/replica:0/task:i`.
    fn tasks(&self) -> Vec<String>;
    /// How to reach a task.
    ///
    /// Errors: `InvalidArgument` for a name that is not in the cluster.
    fn worker(&self, task: &str) -> Result<Arc<dyn WorkerInterface>>;
    /// The address of a task, for messages.
    fn address(&self, task: &str) -> Option<String>;
}

/// Makes the view of a cluster; a session may bring a cluster of its own (TF: ClusterSpec propagation).
pub trait WorkerCacheFactory: Send + Sync {
    /// The view of these tasks. Connections are made when first used.
    ///
    /// Errors: `InvalidArgument` for an address that cannot be one.
    fn connect(&self, cluster: &ClusterSpec) -> Result<Arc<dyn WorkerCache>>;
}

/// What the worker of a task works with.
pub struct WorkerEnv {
    /// The task: job, replica and index.
    pub task: DeviceSpec,
    /// Its devices, CPU:0 first.
    pub devices: Vec<Device>,
    /// Its compute threads.
    pub pool: Arc<dyn ComputePool>,
    /// The ops it knows.
    pub registry: Arc<OpRegistry>,
    /// The cluster that it was started in.
    pub workers: Arc<dyn WorkerCache>,
    /// How to reach clusters that sessions bring along.
    pub connect: Arc<dyn WorkerCacheFactory>,
    /// Its clock.
    pub timer: Arc<dyn Timer>,
}

impl WorkerEnv {
    /// The task's name, `/job:ps/replica:0/task:0`.
    pub fn task_name(&self) -> String {
        self.task.to_string()
    }
}
