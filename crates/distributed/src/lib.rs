//! Master, worker and their sessions; names no transport.
//!
//! - [`interface`]: what clients, masters and workers say to each other, as traits with callbacks;
//! - [`Worker`]: registers and runs parts of graphs, hands tensors to other tasks;
//! - [`WorkerEnv`]: what a server gives them to work with. Nothing is global, so a cluster fits into one process.

mod env;
pub mod interface;
mod rendezvous_mgr;
mod request_id;
mod worker;

pub use env::{ClusterSpec, WorkerCache, WorkerCacheFactory, WorkerEnv};
pub use worker::{LocalWorker, Worker, WorkerSession, cluster_spec};

/// A random id that is not 0, which stands for "none" on the wire.
pub(crate) fn random_id() -> i64 {
    rand::random::<i64>() | 1
}
