//! What masters, workers and clients say to each other, without a transport (TF: `MasterInterface`, `WorkerInterface`).
//!
//! Calls are asynchronous with a callback: nothing here holds a thread while it waits. A call ends early when its
//! [`CancellationManager`] is cancelled; then its callback gets the reason. In-process calls implement the same traits
//! as calls over a network, so that a whole cluster runs inside one test.

mod master;
mod worker;

pub use master::*;
pub use worker::*;

use ferroflow_graph::kernel::CancellationManager;
use ferroflow_tensor::Result;
use std::sync::Arc;
use std::time::Duration;

/// Called once with the answer or with why there is none.
pub type Callback<T> = Box<dyn FnOnce(Result<T>) + Send>;

/// How one call may end early.
#[derive(Clone)]
pub struct CallOptions {
    /// Cancels the call.
    pub cancellation: Arc<CancellationManager>,
    /// `DeadlineExceeded` after this long.
    pub timeout: Option<Duration>,
    /// Whether to wait for a peer that cannot be reached, instead of failing with `Unavailable`.
    pub wait_for_ready: bool,
}

impl Default for CallOptions {
    fn default() -> CallOptions {
        CallOptions { cancellation: Arc::new(CancellationManager::new()), timeout: None, wait_for_ready: false }
    }
}

impl CallOptions {
    /// A call that ends with this cancellation.
    pub fn cancelled_by(cancellation: &Arc<CancellationManager>) -> CallOptions {
        CallOptions { cancellation: cancellation.clone(), ..CallOptions::default() }
    }
}

/// Runs things later; the only clock that masters and workers act on, so that tests can turn it.
pub trait Timer: Send + Sync {
    /// Runs `action` after `delay` unless the handle is dropped or cancelled first.
    fn after(&self, delay: Duration, action: Box<dyn FnOnce() + Send>) -> TimerHandle;
}

/// Keeps a timer alive; dropping it cancels the timer.
pub struct TimerHandle(Option<Box<dyn FnOnce() + Send>>);

impl TimerHandle {
    /// A handle that runs `cancel` when dropped.
    pub fn new(cancel: impl FnOnce() + Send + 'static) -> TimerHandle {
        TimerHandle(Some(Box::new(cancel)))
    }

    /// Lets the timer run whatever becomes of the handle.
    pub fn detach(mut self) {
        self.0 = None;
    }
}

impl Drop for TimerHandle {
    fn drop(&mut self) {
        if let Some(cancel) = self.0.take() {
            cancel();
        }
    }
}
