//! `RendezvousMgr`: the meeting place of each step of a task, also for tensors of other tasks (TF: `RpcRendezvousMgr`, `BaseRemoteRendezvous`).
//!
//! A peer may ask for a tensor before the step has begun here; its request waits at a place that the step will then use. After a step has
//! failed, its error answers everybody who still asks, until the master cleans the step up.

use crate::interface::{CallOptions, RecvTensorRequest};
use crate::worker::WorkerSession;
use ferroflow_graph::kernel::{CancellationManager, Received, RecvDone, Rendezvous, RendezvousKey};
use ferroflow_runtime::LocalRendezvous;
use ferroflow_tensor::error::aborted;
use ferroflow_tensor::{Error, Result};
use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::Arc;

/// The meeting places of a task's steps.
#[derive(Default)]
pub(crate) struct RendezvousMgr {
    steps: Mutex<HashMap<i64, Arc<LocalRendezvous>>>,
}

impl RendezvousMgr {
    /// The place of a step, made if nobody has come yet.
    pub(crate) fn find_or_create(&self, step_id: i64) -> Arc<LocalRendezvous> {
        self.steps.lock().entry(step_id).or_default().clone()
    }

    /// Ends a step: whoever still waits gets `Aborted`. An unknown step is no error.
    pub(crate) fn cleanup(&self, step_id: i64) {
        let place = self.steps.lock().remove(&step_id);
        if let Some(place) = place {
            place.abort(aborted(format!("Cleanup {step_id}")).derived());
        }
    }

    /// How many steps have a place.
    pub(crate) fn len(&self) -> usize {
        self.steps.lock().len()
    }
}

/// The rendezvous that the kernels of one step of a session use.
pub(crate) struct StepRendezvous {
    step_id: i64,
    session: Arc<WorkerSession>,
    local: Arc<LocalRendezvous>,
    /// Cancels what is being fetched from other tasks.
    remote_calls: Arc<CancellationManager>,
}

impl StepRendezvous {
    pub(crate) fn new(step_id: i64, session: Arc<WorkerSession>, local: Arc<LocalRendezvous>) -> StepRendezvous {
        StepRendezvous { step_id, session, local, remote_calls: Arc::new(CancellationManager::new()) }
    }

    fn recv_remote(&self, key: &RendezvousKey, done: RecvDone) {
        let task = key.send_device.task_part().to_string();
        let worker = match self.session.workers().worker(&task) {
            Ok(worker) => worker,
            Err(e) => return done(Err(e)),
        };
        let request = RecvTensorRequest { step_id: self.step_id, rendezvous_key: key.full.clone(), request_id: crate::random_id() };
        // The producer's failure is the root cause of ours: it must reach the master as it is, not as a consequence.
        worker.recv_tensor(request, CallOptions::cancelled_by(&self.remote_calls), done);
    }
}

impl Rendezvous for StepRendezvous {
    fn send(&self, key: &RendezvousKey, value: Received) -> Result<()> {
        self.local.send_to(&key.full, value)
    }

    fn recv_async(&self, key: &RendezvousKey, done: RecvDone) {
        if self.session.is_own_task(&key.send_device) {
            self.local.recv_async(key, done);
        } else if let Some(e) = self.local.aborted() {
            done(Err(e));
        } else {
            self.recv_remote(key, done);
        }
    }

    fn abort(&self, error: Error) {
        self.local.abort(error.clone());
        self.remote_calls.cancel(error);
    }
}
