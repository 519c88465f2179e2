//! Master, worker and their sessions: the cluster's logic, which names no transport.
//!
//! - [`Master`] answers clients: it places, cuts and runs their graphs ([`MasterSession`]).
//! - [`Worker`] answers masters and other workers: it registers and runs partitions and hands over tensors.
//! - [`WorkerInterface`] is what they ask of each other; a transport implements it, and so does a worker of the same process.
//! - [`MasterEnv`] and [`WorkerEnv`] hold what a task is made of. Nothing is global, so that a whole cluster fits into a process.

mod call;
mod cluster;
mod cost_graph;
mod env;
mod graph_mgr;
mod master;
mod master_session;
mod rendezvous_mgr;
mod request_ids;
mod step_rendezvous;
mod step_stats;
#[cfg(test)]
mod tests;
mod timer;
mod waits;
mod worker;
mod worker_interface;
mod worker_session;

pub use call::{CallOptions, Done, Pending, block_on, pending};
pub use cluster::{ClusterSpec, TaskId};
pub use cost_graph::CostGraph;
pub use env::WorkerEnv;
pub use master::config::{SessionConfig, millis};
pub use master::{CreateSessionRequest, GraphSource, Master, MasterEnv, WaitLimits};
pub use master_session::{
    CallableOptions, ExtendRequest, MasterSession, RunMetadata, RunOptions, RunRequest, RunResponse, Signature, TensorConnection,
};
pub use rendezvous_mgr::RendezvousMgr;
pub use request_ids::{RecentRequestIds, new_request_id};
pub use step_stats::step_stats_to_proto;
pub use timer::{Alarm, Sleep, Timer};
pub use waits::{Wait, Waiting, Waits};
pub use worker::{Sessions, Worker};
pub use worker_interface::{
    CreateWorkerSessionRequest, DeviceAttributes, LoggingRequest, PartitionGraph, RecvTensorRequest, RegisterGraphRequest, RunGraphRequest,
    RunGraphResponse, WorkerCache, WorkerCacheFactory, WorkerInterface,
};
pub use worker_session::WorkerSession;
