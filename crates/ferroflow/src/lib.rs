//! Distributed dataflow training on TensorFlow's wire and files, without Python.
//!
//! This crate is the one that programs name; the floors below it are re-exported where a program needs them.
//!
//! ```
//! use ferroflow::{Graph, Session, Tensor};
//!
//! fn main() -> ferroflow::Result<()> {
//!     let g = Graph::new();
//!     let a = g.constant(3f32);
//!     let b = g.constant(4f32);
//!     let sum = &a + &b;
//!     let session = Session::new(&g)?;
//!     assert_eq!(session.run(&sum)?.to_scalar::<f32>()?, 7.0);
//!     Ok(())
//! }
//! ```

mod graph;
mod master_backend;
mod task;
pub mod tf_config;

pub use ferroflow_data as data;
pub use ferroflow_distributed::{ClusterSpec, TaskId, WaitLimits};
pub use ferroflow_graph::{DeviceScope, Grad, Operation, Output, gradients};
pub use ferroflow_grpc::{Listen, Server, ServerConfig};
pub use ferroflow_io as io;
pub use ferroflow_ops as ops;
pub use ferroflow_tensor::{Code, DType, DeviceSpec, Error, PartialShape, Result, Shape, Tensor};
pub use ferroflow_train as train;
pub use ferroflow_train::{Session, hook, nn, summary};
pub use graph::Graph;
pub use master_backend::{SessionConfig, connect, session_on};
pub use task::{Task, main};
