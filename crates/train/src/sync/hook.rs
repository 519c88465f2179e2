//! The hook of a synchronous replica: starts it, runs the chief's loop, and lets the others go at the end (TF: `_SyncReplicasOptimizerHook`).

use super::build::Built;
use crate::hook::Hook;
use crate::session::Session;
use ferroflow_tensor::{Code, Result};
use parking_lot::Mutex;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Made by [`super::SyncReplicas::hook`].
pub struct SyncHook {
    built: Arc<Built>,
    is_chief: bool,
    /// Tells the loop of the present session to end.
    stop: Arc<AtomicBool>,
    loops: Mutex<Vec<std::thread::JoinHandle<()>>>,
}

impl SyncHook {
    pub(super) fn new(built: Arc<Built>, is_chief: bool) -> SyncHook {
        SyncHook { built, is_chief, stop: Arc::default(), loops: Mutex::default() }
    }

    /// Takes, updates and hands out tokens until the session ends. The loop sits in a step most of the time; closing the session
    /// cancels that step.
    fn start_loop(&mut self, session: &Session) -> Result<()> {
        self.stop.store(true, Ordering::Release);
        self.stop = Arc::new(AtomicBool::new(false));
        let (built, session, stop) = (self.built.clone(), session.clone(), self.stop.clone());
        let thread = std::thread::Builder::new().name("sync-replicas".to_owned()).spawn(move || {
            while !stop.load(Ordering::Acquire) {
                if let Err(e) = session.run(&built.sync_op) {
                    // The replica's own step meets the same failure and recovers; here it only ends the loop.
                    let expected = stop.load(Ordering::Acquire)
                        || matches!(e.code(), Code::Cancelled | Code::Aborted | Code::Unavailable | Code::FailedPrecondition);
                    if !expected {
                        tracing::error!(error = %e, "synchronous updates have stopped");
                    }
                    break;
                }
            }
        })?;
        self.loops.lock().push(thread);
        Ok(())
    }
}

impl Hook for SyncHook {
    fn after_create_session(&mut self, session: &Session) -> Result<()> {
        if !self.is_chief {
            return session.run(&self.built.local_init);
        }
        session.run(&self.built.chief_init)?;
        session.run(&self.built.init_tokens)?;
        self.start_loop(session)
    }

    fn end(&mut self, session: &Session) -> Result<()> {
        self.stop.store(true, Ordering::Release);
        session.run(&self.built.release)
    }
}

impl Drop for SyncHook {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Release);
    }
}
