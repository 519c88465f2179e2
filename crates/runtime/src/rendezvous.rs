//! `LocalRendezvous`: where the producers and consumers of one step meet inside a task (TF: `LocalRendezvous`).

use ferroflow_graph::kernel::{Received, RecvDone, Rendezvous, RendezvousKey, Variable};
use ferroflow_tensor::error::{cancelled, internal};
use ferroflow_tensor::{Error, Result};
use parking_lot::Mutex;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;

/// Names a waiting receiver; see [`LocalRendezvous::recv`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Receiver {
    key: Arc<str>,
    id: u64,
}

struct Waiter {
    id: u64,
    done: RecvDone,
}

/// What a producer leaves.
enum Parcel {
    Value(Received),
    /// A variable, which is read when it is received.
    Variable(Arc<Variable>),
}

impl Parcel {
    fn open(self) -> Result<Received> {
        match self {
            Parcel::Value(value) => Ok(value),
            Parcel::Variable(variable) => Ok(Received { tensor: variable.read()?, is_dead: false }),
        }
    }
}

enum Meeting {
    /// The producer came first.
    Sent(Parcel),
    /// Consumers came first; the first of them gets the value.
    Awaited(Vec<Waiter>),
}

#[derive(Default)]
struct State {
    meetings: HashMap<Arc<str>, Meeting>,
    next_id: u64,
    aborted: Option<Error>,
}

/// The meeting place of one step in one task. Every value is delivered once; callbacks run outside the lock, on the thread that
/// brings producer and consumer together.
#[derive(Default)]
pub struct LocalRendezvous {
    state: Mutex<State>,
}

impl LocalRendezvous {
    /// An empty one.
    pub fn new() -> LocalRendezvous {
        LocalRendezvous::default()
    }

    /// Hands over a value under the text of a key. Never waits.
    ///
    /// Errors: why the step was aborted; `Internal` `Duplicated send` while another value of this key waits to be fetched.
    pub fn send_to(&self, key: &str, value: Received) -> Result<()> {
        self.leave(key, Parcel::Value(value))
    }

    fn leave(&self, key: &str, parcel: Parcel) -> Result<()> {
        let mut state = self.state.lock();
        if let Some(e) = &state.aborted {
            return Err(e.clone());
        }
        match state.meetings.get_mut(key) {
            None => {
                state.meetings.insert(key.into(), Meeting::Sent(parcel));
                Ok(())
            }
            Some(Meeting::Sent(_)) => Err(internal(format!("Duplicated send: {key}"))),
            Some(Meeting::Awaited(waiters)) => {
                let first = waiters.remove(0);
                if waiters.is_empty() {
                    state.meetings.remove(key);
                }
                drop(state);
                (first.done)(parcel.open());
                Ok(())
            }
        }
    }

    /// Asks for the value of a key. Returns how to give the wait up, or `None` if `done` has been called already.
    pub fn recv(&self, key: &Arc<str>, done: RecvDone) -> Option<Receiver> {
        let mut state = self.state.lock();
        if let Some(e) = &state.aborted {
            let e = e.clone();
            drop(state);
            done(Err(e));
            return None;
        }
        let id = state.next_id;
        state.next_id += 1;
        match state.meetings.entry(key.clone()) {
            Entry::Vacant(place) => {
                place.insert(Meeting::Awaited(vec![Waiter { id, done }]));
            }
            Entry::Occupied(mut place) => match place.get_mut() {
                Meeting::Awaited(waiters) => waiters.push(Waiter { id, done }),
                Meeting::Sent(_) => {
                    if let Meeting::Sent(parcel) = place.remove() {
                        drop(state);
                        done(parcel.open());
                    }
                    return None;
                }
            },
        }
        Some(Receiver { key: key.clone(), id })
    }

    /// Drops a receiver that waits no longer, such as one whose caller has gone: a later value is kept for the next one. Its callback
    /// gets `Cancelled`. Returns false if it has been served already.
    pub fn forget(&self, receiver: &Receiver) -> bool {
        let mut state = self.state.lock();
        let Some(Meeting::Awaited(waiters)) = state.meetings.get_mut(&receiver.key) else { return false };
        let Some(at) = waiters.iter().position(|w| w.id == receiver.id) else { return false };
        let waiter = waiters.remove(at);
        if waiters.is_empty() {
            state.meetings.remove(&receiver.key);
        }
        drop(state);
        (waiter.done)(Err(cancelled(format!("the wait for {} was given up", receiver.key))));
        true
    }

    /// The keys that are waited for, for status pages and messages.
    pub fn awaited(&self) -> Vec<Arc<str>> {
        self.state.lock().meetings.iter().filter(|(_, m)| matches!(m, Meeting::Awaited(_))).map(|(k, _)| k.clone()).collect()
    }

    /// Why it was aborted, if it was.
    pub fn aborted(&self) -> Option<Error> {
        self.state.lock().aborted.clone()
    }
}

impl Rendezvous for LocalRendezvous {
    fn send(&self, key: &RendezvousKey, value: Received) -> Result<()> {
        self.send_to(&key.full, value)
    }

    fn send_variable(&self, key: &RendezvousKey, variable: &Arc<Variable>) -> Result<()> {
        if !variable.is_initialized() {
            return Err(variable.uninitialized());
        }
        self.leave(&key.full, Parcel::Variable(variable.clone()))
    }

    fn recv_async(&self, key: &RendezvousKey, done: RecvDone) {
        self.recv(&key.full, done);
    }

    fn abort(&self, error: Error) {
        let meetings = {
            let mut state = self.state.lock();
            if state.aborted.is_some() {
                return;
            }
            state.aborted = Some(error.clone());
            std::mem::take(&mut state.meetings)
        };
        for meeting in meetings.into_values() {
            if let Meeting::Awaited(waiters) = meeting {
                waiters.into_iter().for_each(|w| (w.done)(Err(error.clone())));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ferroflow_tensor::error::aborted;
    use ferroflow_tensor::{Code, DType, Tensor};

    type Seen = Arc<Mutex<Vec<Result<i32>>>>;

    fn value(v: i32) -> Received {
        Received { tensor: Tensor::scalar(v), is_dead: false }
    }

    fn note(seen: &Seen) -> RecvDone {
        let seen = seen.clone();
        Box::new(move |r| seen.lock().push(r.and_then(|r| r.tensor.to_scalar())))
    }

    fn key(name: &str) -> Arc<str> {
        RendezvousKey::text("/job:a/replica:0/task:0/device:CPU:0", 1, "/job:a/replica:0/task:0/device:CPU:0", name, 0, 0).into()
    }

    #[test]
    fn either_side_may_come_first_and_a_value_is_delivered_once() {
        let (r, seen) = (LocalRendezvous::new(), Seen::default());
        r.send_to(&key("x"), value(1)).unwrap();
        assert!(r.recv(&key("x"), note(&seen)).is_none());
        let waiting = r.recv(&key("x"), note(&seen));
        assert!(waiting.is_some());
        assert_eq!(r.awaited(), [key("x")]);
        r.send_to(&key("x"), value(2)).unwrap();
        let got: Vec<i32> = seen.lock().iter().map(|r| *r.as_ref().unwrap()).collect();
        assert_eq!(got, [1, 2]);
        assert!(!r.forget(&waiting.unwrap()), "it has been served");
    }

    #[test]
    fn a_variable_is_read_when_it_is_received() {
        let (r, seen) = (LocalRendezvous::new(), Seen::default());
        let key = RendezvousKey::parse(&key("v")).unwrap();
        let variable = Arc::new(Variable::new("v", DType::Int32));
        assert_eq!(r.send_variable(&key, &variable).unwrap_err().code(), Code::FailedPrecondition);
        variable.set(Tensor::scalar(1i32));
        r.send_variable(&key, &variable).unwrap();
        assert_eq!(r.send_variable(&key, &variable).unwrap_err().code(), Code::Internal);
        variable.set(Tensor::scalar(2i32));
        r.recv(&key.full, note(&seen));
        r.recv(&key.full, note(&seen));
        r.send_variable(&key, &variable).unwrap();
        variable.set(Tensor::scalar(3i32));
        let got: Vec<i32> = seen.lock().iter().map(|r| *r.as_ref().unwrap()).collect();
        assert_eq!(got, [2, 2], "who waits already gets what there is");
    }

    #[test]
    fn receivers_of_one_key_are_served_in_order() {
        let (r, a, b) = (LocalRendezvous::new(), Seen::default(), Seen::default());
        r.recv(&key("x"), note(&a));
        r.recv(&key("x"), note(&b));
        r.send_to(&key("x"), value(1)).unwrap();
        r.send_to(&key("x"), value(2)).unwrap();
        assert_eq!((a.lock()[0].clone().unwrap(), b.lock()[0].clone().unwrap()), (1, 2));
    }

    #[test]
    fn a_second_send_before_the_receive_is_an_error() {
        let r = LocalRendezvous::new();
        r.send_to(&key("x"), value(1)).unwrap();
        assert_eq!(r.send_to(&key("x"), value(2)).unwrap_err().code(), Code::Internal);
    }

    #[test]
    fn a_forgotten_receiver_leaves_the_value_to_the_next() {
        let (r, gone, next) = (LocalRendezvous::new(), Seen::default(), Seen::default());
        let receiver = r.recv(&key("x"), note(&gone)).unwrap();
        assert!(r.forget(&receiver));
        assert_eq!(gone.lock()[0].as_ref().unwrap_err().code(), Code::Cancelled);
        r.send_to(&key("x"), value(5)).unwrap();
        r.recv(&key("x"), note(&next));
        assert_eq!(next.lock()[0].clone().unwrap(), 5);
    }

    #[test]
    fn aborting_fails_present_and_future_waiters_and_senders() {
        let (r, seen) = (LocalRendezvous::new(), Seen::default());
        r.recv(&key("x"), note(&seen));
        Rendezvous::abort(&r, aborted("first"));
        Rendezvous::abort(&r, aborted("second"));
        r.recv(&key("y"), note(&seen));
        assert_eq!(r.send_to(&key("z"), value(1)).unwrap_err().bare_message(), "first");
        assert_eq!(seen.lock().len(), 2);
        assert!(seen.lock().iter().all(|r| r.as_ref().unwrap_err().bare_message() == "first"));
    }
}
