//! `RendezvousMgr`: the meeting places of all steps of a task (TF: `RpcRendezvousMgr`).
//!
//! Other tasks may ask for a step's tensors before the step starts here, even before its session has run anything: the first
//! to name a step makes its meeting place. When the step is cleaned up, whoever still waits fails, and so do late comers.

use crate::step_rendezvous::StepRendezvous;
use ferroflow_graph::kernel::{CancellationManager, Received, Rendezvous};
use ferroflow_runtime::Receiver;
use ferroflow_tensor::error::aborted;
use ferroflow_tensor::{Error, Result};
use parking_lot::Mutex;
use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;

/// Steps that ended lately, so that those who come late do not wait for ever.
const REMEMBERED: usize = 4096;

#[derive(Default)]
struct State {
    steps: HashMap<i64, Arc<StepRendezvous>>,
    ended: HashSet<i64>,
    ended_order: VecDeque<i64>,
}

/// The meeting places of all steps of a task, by step id.
#[derive(Default)]
pub struct RendezvousMgr {
    state: Mutex<State>,
}

fn cleaned_up(step_id: i64) -> Error {
    aborted(format!("Cleanup {step_id}")).derived()
}

impl RendezvousMgr {
    /// The meeting place of a step, made if needed.
    ///
    /// Errors: `Aborted` if the step has been cleaned up.
    pub fn find_or_create(&self, step_id: i64) -> Result<Arc<StepRendezvous>> {
        let mut state = self.state.lock();
        if state.ended.contains(&step_id) {
            return Err(cleaned_up(step_id));
        }
        Ok(state.steps.entry(step_id).or_insert_with(|| Arc::new(StepRendezvous::new(step_id))).clone())
    }

    /// Ends a step, known or not: whoever waits for its tensors gets `Aborted` `Cleanup …`.
    pub fn cleanup(&self, step_id: i64) {
        let step = {
            let mut state = self.state.lock();
            if state.ended.insert(step_id) {
                state.ended_order.push_back(step_id);
            }
            if state.ended_order.len() > REMEMBERED
                && let Some(oldest) = state.ended_order.pop_front()
            {
                state.ended.remove(&oldest);
            }
            state.steps.remove(&step_id)
        };
        if let Some(step) = step {
            step.abort(cleaned_up(step_id));
        }
    }

    /// Serves another task's request for a tensor. A cancelled request leaves the value for the next one.
    pub fn recv_local(
        self: &Arc<Self>,
        step_id: i64,
        key: &Arc<str>,
        cancellation: Option<&Arc<CancellationManager>>,
        done: Box<dyn FnOnce(Result<Received>) + Send>,
    ) {
        let step = match self.find_or_create(step_id) {
            Ok(step) => step,
            Err(e) => return done(Err(e)),
        };
        let Some(cancellation) = cancellation else {
            step.local().recv(key, done);
            return;
        };
        // The callback and the cancellation may come in either order, also before the receiver's name is known.
        let link: Arc<Mutex<Option<ferroflow_graph::kernel::CancellationToken>>> = Arc::default();
        let (served, manager) = (link.clone(), cancellation.clone());
        let receiver = step.local().recv(
            key,
            Box::new(move |result| {
                if let Some(token) = served.lock().take() {
                    manager.deregister(token);
                }
                done(result);
            }),
        );
        let Some(receiver) = receiver else { return };
        let (this, waiting, late) = (self.clone(), step.clone(), receiver.clone());
        match cancellation.register(move |_| this.forget(step_id, &waiting, &late)) {
            Ok(token) => *link.lock() = Some(token),
            Err(_) => self.forget(step_id, &step, &receiver),
        }
    }

    fn forget(&self, step_id: i64, step: &Arc<StepRendezvous>, receiver: &Receiver) {
        step.local().forget(receiver);
        // A step that nobody has started and nobody waits for is only a name.
        let mut state = self.state.lock();
        if !step.is_started() && step.local().awaited().is_empty() {
            state.steps.remove(&step_id);
        }
    }

    /// The tensors that are waited for, by step; for status pages and messages.
    pub fn awaited(&self) -> Vec<(i64, Vec<Arc<str>>)> {
        let steps: Vec<(i64, Arc<StepRendezvous>)> = self.state.lock().steps.iter().map(|(id, step)| (*id, step.clone())).collect();
        steps.into_iter().map(|(id, step)| (id, step.local().awaited())).filter(|(_, keys)| !keys.is_empty()).collect()
    }

    /// How many steps are known.
    pub fn len(&self) -> usize {
        self.state.lock().steps.len()
    }

    /// Whether no step is known.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ferroflow_tensor::{Code, Tensor};
    use std::sync::mpsc;

    fn key() -> Arc<str> {
        "/job:a/replica:0/task:0/device:CPU:0;0000000000000001;/job:b/replica:0/task:0/device:CPU:0;x;0:0".into()
    }

    fn ask(m: &Arc<RendezvousMgr>, cancellation: Option<&Arc<CancellationManager>>) -> mpsc::Receiver<Result<Received>> {
        let (sender, receiver) = mpsc::channel();
        m.recv_local(7, &key(), cancellation, Box::new(move |r| drop(sender.send(r))));
        receiver
    }

    #[test]
    fn a_request_before_the_step_is_held_until_the_value_comes() {
        let m = Arc::new(RendezvousMgr::default());
        let answer = ask(&m, Some(&Arc::default()));
        assert_eq!(m.awaited(), [(7, vec![key()])]);
        let step = m.find_or_create(7).unwrap();
        step.local().send_to(&key(), Received { tensor: Tensor::scalar(3i32), is_dead: false }).unwrap();
        assert_eq!(answer.recv().unwrap().unwrap().tensor.to_scalar::<i32>().unwrap(), 3);
    }

    #[test]
    fn cleaning_up_fails_those_who_wait_and_those_who_come_late() {
        let m = Arc::new(RendezvousMgr::default());
        let early = ask(&m, None);
        m.cleanup(7);
        for answer in [early, ask(&m, None)] {
            let e = answer.recv().unwrap().unwrap_err();
            assert_eq!((e.code(), e.bare_message()), (Code::Aborted, "Cleanup 7"));
        }
        assert!(m.is_empty());
    }

    #[test]
    fn a_cancelled_request_leaves_nothing_behind() {
        let m = Arc::new(RendezvousMgr::default());
        let cancellation = Arc::new(CancellationManager::new());
        let answer = ask(&m, Some(&cancellation));
        cancellation.cancel(ferroflow_tensor::error::cancelled("gone"));
        assert_eq!(answer.recv().unwrap().unwrap_err().code(), Code::Cancelled);
        assert!(m.is_empty());
        let late = ask(&m, Some(&cancellation));
        assert!(late.recv().unwrap().is_err());
    }
}
