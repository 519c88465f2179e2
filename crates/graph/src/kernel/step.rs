//! `StepContext`: what all kernels of one step on one device share.

use super::{CancellationManager, Rendezvous, ResourceManager, Value};
use crate::AttrMap;
use ferroflow_tensor::{DeviceSpec, Error, Result};
use std::sync::Arc;

/// A device as kernels see it.
#[derive(Debug)]
pub struct DeviceInfo {
    /// Full name, `/job:ps/replica:0/task:0/device:CPU:0`.
    pub name: Arc<str>,
    /// The parsed name.
    pub spec: DeviceSpec,
    /// Random number of this process's instance of the device.
    pub incarnation: u64,
}

/// The compute pool of a task.
pub trait ComputePool: Send + Sync {
    /// How many threads can work at once, at least 1.
    fn threads(&self) -> usize;

    /// Runs `body(0)` … `body(tasks - 1)`, in parallel where threads are free, and returns when all are done.
    fn parallel_for(&self, tasks: usize, body: &(dyn Fn(usize) + Sync));

    /// Runs a job on a thread of the pool, some time.
    fn spawn(&self, job: Box<dyn FnOnce() + Send>);
}

/// Names an instantiated function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FunctionHandle(pub u64);

/// Called once with a function's results.
pub type FunctionDone = Box<dyn FnOnce(Result<Vec<Value>>) + Send>;

/// Runs functions of the graph's library (TF: `FunctionLibraryRuntime`).
pub trait FunctionRuntime: Send + Sync {
    /// Prepares a function for running; equal name and attributes give the same handle.
    ///
    /// Errors: `NotFound` for an unknown function; what building its graph returns.
    fn instantiate(&self, name: &str, attrs: &AttrMap) -> Result<FunctionHandle>;

    /// Runs it as part of the step that `step` belongs to.
    fn run(&self, handle: FunctionHandle, step: &Arc<StepContext>, args: Vec<Value>, done: FunctionDone);

    /// The same functions with kernels of their own, whose state begins anew (TF: `FunctionLibraryRuntime::Clone`); `None` if no
    /// function here has state.
    fn fresh(&self) -> Option<Arc<dyn FunctionRuntime>> {
        None
    }
}

/// The tag of a value inside loops: id of the frame, number of the iteration. `(0, 0)` outside.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct FrameAndIter {
    /// Hash of the names of the frames that enclose it, as it appears in rendezvous keys.
    pub frame_id: u64,
    /// The iteration.
    pub iter_id: i64,
}

/// One step on one device.
pub struct StepContext {
    /// Id of the step, unique among the steps of a cluster.
    pub step_id: i64,
    /// Handle of the session that the step belongs to.
    pub session: Arc<str>,
    /// The device.
    pub device: Arc<DeviceInfo>,
    /// What outlives the step.
    pub resources: Arc<ResourceManager>,
    /// What ends with the step: tensor arrays, stacks.
    pub step_resources: Arc<ResourceManager>,
    /// Where tensors are exchanged.
    pub rendezvous: Arc<dyn Rendezvous>,
    /// How the step is cancelled.
    pub cancellation: Arc<CancellationManager>,
    /// Threads for heavy work.
    pub pool: Arc<dyn ComputePool>,
    /// Functions of the graph, if it has any.
    pub functions: Option<Arc<dyn FunctionRuntime>>,
}

impl StepContext {
    /// An error if the step is cancelled, for loops that would run long.
    ///
    /// Errors: why it is cancelled.
    #[inline]
    pub fn check_cancelled(&self) -> Result<(), Error> {
        if self.cancellation.is_cancelled() {
            return Err(self.cancellation.reason().unwrap_or_else(|| ferroflow_tensor::error::cancelled("the step was cancelled")));
        }
        Ok(())
    }
}
