//! Devices, placement, partitioning and the executor.

mod device;
mod direct_session;
mod executor;
mod functions;
mod kernel_cache;
pub mod lower;
pub mod partition;
pub mod passes;
pub mod placer;
mod pool;
pub mod prune;
mod rendezvous;
mod rewrite_node;
mod step_stats;
#[cfg(test)]
mod test_graph;

pub use device::Device;
pub use direct_session::{DirectSession, SessionOptions};
pub use executor::{Executor, ExecutorParams, RunDone};
pub use functions::FunctionLibraryRuntime;
pub use kernel_cache::KernelCache;
pub use pool::Pool;
pub use rendezvous::{LocalRendezvous, Receiver};
pub use step_stats::{NodeStats, OutputStats, StepStatsCollector};
