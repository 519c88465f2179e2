//! Training: variables, layers, optimizers, placement on parameter servers, sessions that survive.
//!
//! Floor 5. Builds graphs of the ops that `ops` defines and runs them through a [`Session`], in this process or on a cluster.

mod device_setter;
mod global_step;
pub mod hook;
mod initializer;
mod monitored;
pub mod nn;
pub mod optimizer;
mod saver;
pub mod session;
pub mod summary;
mod summary_writer;
mod sync;
mod variable;

pub use device_setter::{GreedyByBytes, PsStrategy, RoundRobin, replica_device_setter};
pub use global_step::global_step;
pub use initializer::Initializer;
pub use monitored::{MonitoredBuilder, MonitoredTrainingSession, Recovery, RecoveryLimit};
pub use optimizer::{Adagrad, Adam, GradientDescent, Momentum, Optimizer, RmsProp};
pub use saver::{Saver, step_of};
pub use session::Session;
pub use summary_writer::SummaryWriter;
pub use sync::{SyncHook, SyncReplicas};
pub use variable::{Kind, Variable, global_variables_initializer, group, initializer_of, variables};
