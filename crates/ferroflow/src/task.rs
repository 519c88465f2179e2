//! `Task`: which task of which cluster this process is, and what follows from that for training (TF: `TF_CONFIG`, `RunConfig`).

use crate::master_backend::{SessionConfig, session_on};
use ferroflow_distributed::{ClusterSpec, TaskId};
use ferroflow_graph::DeviceScope;
use ferroflow_grpc::{Server, ServerConfig};
use ferroflow_tensor::error::invalid_argument;
use ferroflow_tensor::{DeviceSpec, Result};
use ferroflow_train::{MonitoredBuilder, PsStrategy, RoundRobin};
use std::sync::Arc;

/// A task of a cluster, with its server running.
#[derive(Clone)]
pub struct Task {
    id: TaskId,
    cluster: ClusterSpec,
    server: Arc<Server>,
}

impl Task {
    /// Starts the server of this task.
    ///
    /// Errors: as [`Server::start`].
    pub fn start(config: ServerConfig) -> Result<Task> {
        let (id, cluster) = (config.task.clone(), config.cluster.clone());
        Ok(Task { id, cluster, server: Arc::new(Server::start(config)?) })
    }

    /// The task's job and index.
    pub fn id(&self) -> &TaskId {
        &self.id
    }

    /// Its server.
    pub fn server(&self) -> &Arc<Server> {
        &self.server
    }

    /// How many parameter servers the cluster has.
    pub fn num_ps(&self) -> u32 {
        self.tasks_of("ps")
    }

    /// How many replicas train: chief, master and workers.
    pub fn num_workers(&self) -> u32 {
        ["chief", "master", "worker"].iter().map(|job| self.tasks_of(job)).sum()
    }

    /// Which of the replicas this is, from 0; the chief comes first.
    pub fn replica(&self) -> u32 {
        let before = if self.id.job == "worker" { self.tasks_of("chief") + self.tasks_of("master") } else { 0 };
        before + self.id.index
    }

    fn tasks_of(&self, job: &str) -> u32 {
        self.cluster.jobs.get(job).map_or(0, |tasks| tasks.len() as u32)
    }

    /// Whether this is a parameter server.
    pub fn is_ps(&self) -> bool {
        self.id.job == "ps"
    }

    /// Whether this replica initialises and saves for all: the task of job `chief` or `master`, or else the first worker.
    pub fn is_chief(&self) -> bool {
        match self.id.job.as_str() {
            "chief" | "master" => true,
            "worker" => {
                let first = self.cluster.jobs.get("worker").and_then(|tasks| tasks.keys().next());
                self.tasks_of("chief") + self.tasks_of("master") == 0 && first == Some(&self.id.index)
            }
            _ => false,
        }
    }

    /// Variables on the parameter servers by turns, everything else on this worker.
    pub fn device_setter(&self) -> DeviceScope {
        self.device_setter_with(RoundRobin::default())
    }

    /// As [`Task::device_setter`], with another way to choose the parameter server.
    pub fn device_setter_with(&self, strategy: impl PsStrategy + 'static) -> DeviceScope {
        let worker = DeviceSpec { replica: None, ..self.id.spec() };
        ferroflow_train::replica_device_setter(self.num_ps(), worker, strategy)
    }

    /// A configuration that needs the parameter servers and this task, so that no other worker is waited for.
    pub fn session_config(&self) -> SessionConfig {
        let own = format!("/job:{}/task:{}", self.id.job, self.id.index);
        SessionConfig { device_filters: vec!["/job:ps".to_owned(), own], allow_soft_placement: true, ..SessionConfig::default() }
    }

    /// A monitored session on this task's own master.
    pub fn monitored_session(&self, graph: &ferroflow_graph::Graph) -> MonitoredBuilder {
        let (server, config) = (self.server.clone(), self.session_config());
        MonitoredBuilder::new(graph, move |g| Ok(session_on(server.master(), g, config.clone()))).is_chief(self.is_chief())
    }
}

/// Runs a program of several tasks: a parameter server serves until it is ended, every other task runs `train`. Which task this is
/// stands in `TF_CONFIG`.
///
/// Errors: `InvalidArgument` for a malformed `TF_CONFIG`; of starting the server; of `train`.
pub fn main(train: impl FnOnce(&Task) -> Result<()>) -> Result<()> {
    let text =
        std::env::var("TF_CONFIG").map_err(|_| invalid_argument("TF_CONFIG is not set: it says which task of which cluster this is"))?;
    let (cluster, task) = crate::tf_config::parse(&text)?;
    let task = Task::start(ServerConfig::new(task, cluster, ferroflow_ops::registry()))?;
    if task.is_ps() {
        task.server().join();
        return Ok(());
    }
    train(&task)
}
