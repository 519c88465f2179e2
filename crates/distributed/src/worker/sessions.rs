//! The sessions of a worker by handle (TF: `SessionMgr`).

use crate::env::WorkerEnv;
use crate::worker_interface::CreateWorkerSessionRequest;
use crate::worker_session::WorkerSession;
use ferroflow_tensor::Result;
use ferroflow_tensor::error::{aborted, invalid_argument};
use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::Arc;

/// The sessions of a worker.
pub struct Sessions {
    task_name: String,
    legacy: Arc<WorkerSession>,
    sessions: Mutex<HashMap<Arc<str>, Arc<WorkerSession>>>,
}

impl Sessions {
    pub(super) fn new(env: &WorkerEnv) -> Sessions {
        Sessions { task_name: env.task.name(), legacy: Arc::new(WorkerSession::legacy(env)), sessions: Mutex::default() }
    }

    /// Opens a session. A known handle keeps its session; sessions of a master that has restarted since are dropped.
    ///
    /// Errors: `InvalidArgument` for an empty handle or a cluster that cannot be used.
    pub fn create(&self, env: &WorkerEnv, request: &CreateWorkerSessionRequest) -> Result<Arc<WorkerSession>> {
        if request.session_handle.is_empty() {
            return Err(invalid_argument("Session must be non-empty."));
        }
        if let Some(known) = self.sessions.lock().get(&request.session_handle) {
            return Ok(known.clone());
        }
        let session = Arc::new(WorkerSession::new(env, request)?);
        let mut orphans = Vec::new();
        let mut sessions = self.sessions.lock();
        sessions.retain(|_, s| {
            let keep = !s.is_orphan_of(&request.master_task, request.master_incarnation);
            if !keep {
                orphans.push(s.clone());
            }
            keep
        });
        let session = sessions.entry(request.session_handle.clone()).or_insert(session).clone();
        drop(sessions);
        if !orphans.is_empty() {
            tracing::info!(master = request.master_task, sessions = orphans.len(), "dropped sessions of a master that has restarted");
        }
        Ok(session)
    }

    /// A session.
    ///
    /// Errors: `Aborted` `Session handle is not found: …`, on which clients make a new session.
    pub fn find(&self, handle: &str, create_called: bool) -> Result<Arc<WorkerSession>> {
        if !create_called {
            return Ok(self.legacy.clone());
        }
        self.sessions.lock().get(handle).cloned().ok_or_else(|| {
            aborted(format!("Session handle is not found: {handle}. Possibly this worker (\"{}\") just restarted.", self.task_name))
        })
    }

    /// Ends a session; an unknown handle is no error.
    pub fn delete(&self, handle: &str) {
        let session = self.sessions.lock().remove(handle);
        // Its kernels may end more than a lock should wait for.
        drop(session);
    }

    /// How many there are, without the legacy session.
    pub fn len(&self) -> usize {
        self.sessions.lock().len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
