//! Handing tensors to other tasks, and ending steps (TF: `GrpcWorker::GrpcRecvTensorAsync`, `Worker::CleanupGraphAsync`).

use super::Worker;
use crate::interface::{CallOptions, Callback, RecvTensorRequest};
use ferroflow_graph::kernel::{Received, RendezvousKey};
use ferroflow_tensor::error::{aborted, invalid_argument};
use ferroflow_tensor::{Error, Result};
use parking_lot::Mutex;
use std::sync::Arc;

impl Worker {
    /// Hands out a tensor that a step of this task produces; the step may begin later.
    pub fn recv_tensor(self: &Arc<Self>, request: RecvTensorRequest, options: CallOptions, done: Callback<Received>) {
        let checked = RendezvousKey::parse(&request.rendezvous_key).and_then(|key| {
            self.check_source(&key)?;
            self.request_ids.track(request.request_id, "RecvTensor (GrpcWorker)")
        });
        if let Err(e) = checked {
            return done(Err(e));
        }
        let local = self.rendezvous.find_or_create(request.step_id);
        // The answer goes out once, whoever comes first: the producer, the step's failure, or the caller's cancellation.
        let answer = Arc::new(Mutex::new(Some(done)));
        let answered = answer.clone();
        let respond = move |r: Result<Received>| {
            let done = answered.lock().take();
            if let Some(done) = done {
                done(r);
            }
        };
        let worker = self.clone();
        let (step_id, key) = (request.step_id, request.rendezvous_key.clone());
        let log = move |r: &Result<Received>| {
            if let Ok(received) = r {
                worker.transfers.add(step_id, &key, received);
            }
        };
        let token = Arc::new(Mutex::new(None));
        let (held_token, cancellation) = (token.clone(), options.cancellation.clone());
        let receiver = local.recv(
            &request.rendezvous_key,
            Box::new(move |r| {
                log(&r);
                if let Some(token) = held_token.lock().take() {
                    cancellation.deregister(token);
                }
                respond(r);
            }),
        );
        let Some(receiver) = receiver else { return };
        let waiting = local.clone();
        match options.cancellation.register(move |_| drop(waiting.forget(&receiver))) {
            Ok(registered) => *token.lock() = Some(registered),
            Err(reason) => {
                let done = answer.lock().take();
                if let Some(done) = done {
                    done(Err(reason));
                }
            }
        }
    }

    /// Whether the key's source is a device of this process's life.
    ///
    /// Errors: `Aborted` if it names an earlier incarnation; `InvalidArgument` for a device that is not here.
    fn check_source(&self, key: &RendezvousKey) -> Result<()> {
        let unknown = || -> Error { invalid_argument(format!("{} unknown device.", key.send_device)) };
        // A session may know the task by another name, so only type and id are compared for those.
        let here = self
            .env()
            .devices
            .iter()
            .find(|d| {
                d.info.spec == *key.send_device
                    || d.info.spec.device_type == key.send_device.device_type
                        && d.info.spec.id == key.send_device.id
                        && !self.env().task.same_task(&key.send_device)
                        && self.knows_task(key)
            })
            .ok_or_else(unknown)?;
        if here.info.incarnation != key.send_incarnation {
            return Err(aborted(format!(
                "RecvTensor expects a different device incarnation: {} vs. {}. Your worker job (\"{}\") was probably restarted. \
                 Check your worker job for the reason why it was restarted.",
                key.send_incarnation,
                here.info.incarnation,
                self.env().task_name()
            )));
        }
        Ok(())
    }

    fn knows_task(&self, key: &RendezvousKey) -> bool {
        self.sessions.lock().values().any(|s| s.is_own_task(&key.send_device))
    }

    /// Ends a step.
    pub fn cleanup_graph(&self, step_id: i64) {
        self.rendezvous.cleanup(step_id);
    }
}
