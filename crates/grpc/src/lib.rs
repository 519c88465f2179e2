//! TensorFlow's gRPC services and clients over HTTP/2: the only crate that opens sockets.
//!
//! - [`Server`] is a task of a cluster: its `MasterService` and `WorkerService` on one port.
//! - [`RemoteMaster`] is the master of another process, for clients.
//! - [`RemoteWorker`] is a task of another process, as masters and other workers use it.
//! - [`IoThread`] is the event loop that the network's work runs on.
//!
//! Calls are made and answered straight on HTTP/2 streams, because three things need it: tensors leave and arrive without being copied
//! into messages, a caller knows whether a failed call can have begun, and an answer can be sent from whatever thread computed it.

mod attributes;
mod call;
mod channel;
mod codec;
mod compression;
mod connection;
mod frame;
mod inline;
mod io_thread;
mod line;
mod listener;
mod master_client;
mod master_service;
mod metadata;
mod pooled;
mod segments;
mod server;
mod service;
mod socket;
mod status;
mod step_stats;
mod worker_cache;
mod worker_client;
mod worker_service;

pub use io_thread::IoThread;
pub use master_client::RemoteMaster;
pub use server::{Listen, Server, ServerConfig};
pub use worker_client::RemoteWorker;

#[cfg(test)]
mod cluster_tests;
#[cfg(test)]
mod transport_tests;
