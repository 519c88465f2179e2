//! `WaitingLine`: a state that attempts change as soon as they can. One that cannot go on waits in line, without a thread, until the state
//! has changed or its step is cancelled. Barriers, staging areas and mutexes are such states.

use ferroflow_graph::kernel::{CancellationManager, CancellationToken, Done, Outputs};
use ferroflow_tensor::Result;
use ferroflow_tensor::error::cancelled;
use parking_lot::Mutex;
use std::sync::Arc;

/// Tries to change the state; `None`: not yet.
pub(super) type Attempt<S> = Box<dyn FnMut(&mut S) -> Option<Result<Outputs>> + Send>;

struct Waiting<S> {
    id: u64,
    attempt: Attempt<S>,
    done: Done,
    registered: Option<(Arc<CancellationManager>, CancellationToken)>,
}

struct Inner<S> {
    state: S,
    waiting: Vec<Waiting<S>>,
    next_id: u64,
}

/// The state and those who wait for it.
pub(super) struct WaitingLine<S>(Mutex<Inner<S>>);

impl<S: Send + 'static> WaitingLine<S> {
    /// Nobody waits.
    pub(super) fn new(state: S) -> WaitingLine<S> {
        WaitingLine(Mutex::new(Inner { state, waiting: Vec::new(), next_id: 0 }))
    }

    /// Makes the attempt as soon as it succeeds or fails; calls `done` once, also on cancellation.
    pub(super) fn attempt(self: &Arc<Self>, cancellation: &Arc<CancellationManager>, attempt: Attempt<S>, done: Done) {
        let id = {
            let mut inner = self.0.lock();
            inner.next_id += 1;
            let id = inner.next_id;
            inner.waiting.push(Waiting { id, attempt, done, registered: None });
            let finished = inner.serve();
            let waits = inner.waiting.iter().any(|w| w.id == id);
            drop(inner);
            finished.into_iter().for_each(|f| f());
            if !waits {
                return;
            }
            id
        };
        let line = self.clone();
        match cancellation.register(move |_| line.cancel(id)) {
            Err(_) => self.cancel(id),
            Ok(token) => {
                let mut inner = self.0.lock();
                match inner.waiting.iter_mut().find(|w| w.id == id) {
                    Some(waiting) => waiting.registered = Some((cancellation.clone(), token)),
                    None => {
                        drop(inner);
                        cancellation.deregister(token);
                    }
                }
            }
        }
    }

    /// Looks at the state, or changes it; those who can go on then do.
    pub(super) fn with<R>(&self, change: impl FnOnce(&mut S) -> R) -> R {
        let mut inner = self.0.lock();
        let result = change(&mut inner.state);
        let finished = inner.serve();
        drop(inner);
        finished.into_iter().for_each(|f| f());
        result
    }

    fn cancel(&self, id: u64) {
        let mut inner = self.0.lock();
        let Some(at) = inner.waiting.iter().position(|w| w.id == id) else { return };
        let waiting = inner.waiting.remove(at);
        drop(inner);
        (waiting.done)(Err(cancelled("the wait was cancelled")));
    }
}

/// Called when the lock is released.
type Finished = Box<dyn FnOnce() + Send>;

impl<S: 'static> Inner<S> {
    /// Lets everybody try, first come first, until nobody can go on.
    fn serve(&mut self) -> Vec<Finished> {
        let mut finished: Vec<Finished> = Vec::new();
        let mut at = 0;
        while at < self.waiting.len() {
            let Some(result) = (self.waiting[at].attempt)(&mut self.state) else {
                at += 1;
                continue;
            };
            let waiting = self.waiting.remove(at);
            let (done, registered) = (waiting.done, waiting.registered);
            finished.push(Box::new(move || {
                if let Some((cancellation, token)) = registered {
                    cancellation.deregister(token);
                }
                done(result);
            }));
            // What has changed may be what those in front wait for.
            at = 0;
        }
        finished
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ferroflow_tensor::{Code, Tensor};

    type Slot = Arc<Mutex<Option<Result<i64>>>>;

    fn take(line: &Arc<WaitingLine<i64>>, n: i64, step: &Arc<CancellationManager>) -> Slot {
        let slot = Slot::default();
        let result = slot.clone();
        let attempt = move |left: &mut i64| {
            (*left >= n).then(|| {
                *left -= n;
                Ok([Some(Tensor::scalar(*left).into())].into_iter().collect::<Outputs>())
            })
        };
        let number = |o: Outputs| o[0].as_ref().and_then(|v| v.to_tensor().ok()).and_then(|t| t.to_scalar::<i64>().ok()).unwrap_or(-1);
        line.attempt(step, Box::new(attempt), Box::new(move |r: Result<Outputs>| *result.lock() = Some(r.map(number))));
        slot
    }

    #[test]
    fn attempts_wait_until_the_state_lets_them_go_on() {
        let line = Arc::new(WaitingLine::new(3));
        let step = Arc::new(CancellationManager::new());
        let (first, second) = (take(&line, 5, &step), take(&line, 2, &step));
        assert!(first.lock().is_none());
        assert!(matches!(*second.lock(), Some(Ok(1))));
        line.with(|left| *left += 4);
        assert!(matches!(*first.lock(), Some(Ok(0))));
    }

    #[test]
    fn a_cancelled_attempt_ends_and_changes_nothing() {
        let line = Arc::new(WaitingLine::new(0));
        let step = Arc::new(CancellationManager::new());
        let waiting = take(&line, 1, &step);
        step.cancel(cancelled("enough"));
        assert!(matches!(&*waiting.lock(), Some(Err(e)) if e.code() == Code::Cancelled));
        let late = take(&line, 1, &step);
        assert!(matches!(&*late.lock(), Some(Err(e)) if e.code() == Code::Cancelled));
        line.with(|left| *left = 1);
        assert_eq!(line.with(|left| *left), 1);
    }
}
