//! `StepRendezvous`: where the nodes of one step on this task exchange tensors with each other and with other tasks (TF:
//! `RpcRemoteRendezvous`). What another task produces is asked for there, with RecvTensor; the rest meets here.

use crate::call::CallOptions;
use crate::cluster::TaskId;
use crate::request_ids::new_request_id;
use crate::worker_interface::RecvTensorRequest;
use crate::worker_session::WorkerSession;
use ferroflow_graph::kernel::{CancellationManager, Received, RecvDone, Rendezvous, RendezvousKey, Variable};
use ferroflow_runtime::{LocalRendezvous, NodeStats};
use ferroflow_tensor::error::invalid_argument;
use ferroflow_tensor::{Error, Result};
use parking_lot::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

/// The meeting place of one step in this task.
pub struct StepRendezvous {
    step_id: i64,
    local: LocalRendezvous,
    /// Set when the step starts; receives of other tasks may come before.
    session: OnceLock<Arc<WorkerSession>>,
    /// Ends the receives from other tasks.
    outgoing: Arc<CancellationManager>,
    records: AtomicBool,
    transfers: Arc<Mutex<Vec<NodeStats>>>,
}

impl StepRendezvous {
    pub(crate) fn new(step_id: i64) -> StepRendezvous {
        StepRendezvous {
            step_id,
            local: LocalRendezvous::new(),
            session: OnceLock::new(),
            outgoing: Arc::default(),
            records: AtomicBool::new(false),
            transfers: Arc::default(),
        }
    }

    /// Notes whose step it is. The first call counts.
    pub(crate) fn start(&self, session: &Arc<WorkerSession>) {
        self.session.get_or_init(|| session.clone());
    }

    pub(crate) fn is_started(&self) -> bool {
        self.session.get().is_some()
    }

    /// What is exchanged inside this task, and what others ask for.
    pub(crate) fn local(&self) -> &LocalRendezvous {
        &self.local
    }

    /// Records receives from other tasks from now on.
    pub(crate) fn record_transfers(&self) {
        self.records.store(true, Ordering::Relaxed);
    }

    /// The recorded receives; they are forgotten.
    pub(crate) fn take_transfers(&self) -> Vec<NodeStats> {
        std::mem::take(&mut *self.transfers.lock())
    }

    fn recv_from(&self, session: &WorkerSession, producer: &TaskId, key: &RendezvousKey, done: RecvDone) {
        let Some(worker) = session.worker_cache().worker(producer) else {
            return done(Err(invalid_argument(format!("the cluster has no task {} to receive {} from", producer.name(), key.tensor_name))));
        };
        if let Some(reason) = self.outgoing.reason() {
            return done(Err(reason));
        }
        let request = RecvTensorRequest { step_id: self.step_id, key: key.full.clone(), request_id: new_request_id() };
        let options = CallOptions::cancelled_by(&self.outgoing);
        let name = producer.name();
        if !self.records.load(Ordering::Relaxed) {
            return worker.recv_tensor(options, request, Box::new(move |result| done(result.map_err(|e| e.at_task(&name)))));
        }
        let (transfers, key, start) = (self.transfers.clone(), key.clone(), Instant::now());
        let start_nanos = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos() as u64;
        let recorded = move |result: Result<Received>| {
            if let Ok(received) = &result {
                transfers.lock().push(transfer_stats(&key, received, start_nanos, start));
            }
            done(result.map_err(|e| e.at_task(&name)))
        };
        worker.recv_tensor(options, request, Box::new(recorded));
    }
}

/// A transfer in the form in which TF reports it: a `RecvTensor` on the receiving device.
fn transfer_stats(key: &RendezvousKey, received: &Received, start_nanos: u64, start: Instant) -> NodeStats {
    let elapsed = start.elapsed();
    let bytes = received.tensor.num_bytes();
    let megabits = bytes as f64 * 8.0 / 1e6 / elapsed.as_secs_f64().max(1e-9);
    NodeStats {
        device: key.recv_device.to_string().into(),
        node: "RecvTensor".into(),
        label: format!("[{bytes}B] [{megabits:.2}Mb/s] {} from {} to {}", key.tensor_name, key.send_device, key.recv_device),
        start_nanos,
        elapsed_nanos: elapsed.as_nanos() as u64,
        thread: 0,
        outputs: Vec::new(),
    }
}

impl Rendezvous for StepRendezvous {
    fn send(&self, key: &RendezvousKey, value: Received) -> Result<()> {
        Rendezvous::send(&self.local, key, value)
    }

    fn send_variable(&self, key: &RendezvousKey, variable: &Arc<Variable>) -> Result<()> {
        self.local.send_variable(key, variable)
    }

    fn recv_async(&self, key: &RendezvousKey, done: RecvDone) {
        if let Some(session) = self.session.get()
            && !session.is_own(&key.send_device)
            && let Some(producer) = TaskId::of_device(&key.send_device)
        {
            return self.recv_from(session, &producer, key, done);
        }
        self.local.recv_async(key, done);
    }

    fn abort(&self, error: Error) {
        // Whoever waits here fails because of something else.
        let error = error.derived();
        self.outgoing.cancel(error.clone());
        self.local.abort(error);
    }
}
