//! `Queue`: a queue of tuples of tensors that steps fill and empty, waiting for each other (TF: `QueueBase`, `FIFOQueue`, …).
//!
//! Attempts to enqueue and to dequeue wait in one line each and are served strictly in their order. Whoever changes the queue
//! serves all who can go on then; their callbacks run after the lock is released. A wait holds no thread.

use super::queue_attempt::{Dequeue, DequeueDone, Enqueue, EnqueueDone, Finished};
use super::queue_storage::{Element, Storage};
use ferroflow_graph::kernel::{CancellationManager, Resource};
use ferroflow_tensor::error::{cancelled, out_of_range};
use ferroflow_tensor::{DType, PartialShape};
use parking_lot::Mutex;
use std::collections::VecDeque;
use std::sync::Arc;

/// What distinguishes the kinds of queues.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// First in, first out.
    Fifo,
    /// First in, first out, with elements of different shapes.
    PaddingFifo,
    /// In random order.
    RandomShuffle,
    /// Least first component first.
    Priority,
}

impl Kind {
    /// TF's name of the queue's type, as messages use it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Kind::Fifo => "FIFOQueue",
            Kind::PaddingFifo => "PaddingFIFOQueue",
            Kind::RandomShuffle => "RandomShuffleQueue",
            Kind::Priority => "PriorityQueue",
        }
    }
}

/// What a queue is made of; two nodes that share a queue must agree on it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct QueueSpec {
    pub(crate) kind: Kind,
    pub(crate) component_types: Vec<DType>,
    /// One per component, or empty: anything goes.
    pub(crate) shapes: Vec<PartialShape>,
    /// Most elements; −1 without limit.
    pub(crate) capacity: i64,
    /// How many elements stay, so that there is something to choose from.
    pub(crate) min_after_dequeue: usize,
    pub(crate) seeds: (i64, i64),
}

struct State {
    storage: Storage,
    enqueues: VecDeque<Enqueue>,
    dequeues: VecDeque<Dequeue>,
    is_closed: bool,
    next_id: u64,
}

/// A queue.
pub(crate) struct Queue {
    name: String,
    spec: QueueSpec,
    state: Mutex<State>,
}

impl Resource for Queue {
    fn type_name(&self) -> &'static str {
        self.spec.kind.name()
    }
}

impl Queue {
    /// What TF calls the type of a queue's resource handle.
    pub(crate) const TYPE_NAME: &str = "N10tensorflow14QueueInterfaceE";

    /// An empty queue.
    pub(crate) fn new(name: impl Into<String>, spec: QueueSpec) -> Queue {
        let storage = match spec.kind {
            Kind::Fifo | Kind::PaddingFifo => Storage::fifo(),
            Kind::RandomShuffle => Storage::shuffled(spec.seeds.0, spec.seeds.1),
            Kind::Priority => Storage::by_priority(),
        };
        let state = State { storage, enqueues: VecDeque::new(), dequeues: VecDeque::new(), is_closed: false, next_id: 0 };
        Queue { name: name.into(), spec, state: Mutex::new(state) }
    }

    /// Its name.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// What it is made of.
    pub(crate) fn spec(&self) -> &QueueSpec {
        &self.spec
    }

    /// How many elements it holds.
    pub(crate) fn size(&self) -> usize {
        self.state.lock().storage.len()
    }

    /// Whether it is closed.
    pub(crate) fn is_closed(&self) -> bool {
        self.state.lock().is_closed
    }

    /// Adds elements, each as soon as there is room for it; `done` is called when all are in.
    pub(crate) fn enqueue(self: &Arc<Self>, elements: Vec<Element>, cancellation: &Arc<CancellationManager>, done: EnqueueDone) {
        if elements.is_empty() {
            return done(Ok(()));
        }
        self.join_enqueues(Some(elements.into()), cancellation, done);
    }

    /// Closes the queue. Attempts to enqueue that wait already are served before, or cancelled at once if so asked.
    pub(crate) fn close(self: &Arc<Self>, cancel_pending: bool, cancellation: &Arc<CancellationManager>, done: EnqueueDone) {
        if !cancel_pending {
            return self.join_enqueues(None, cancellation, done);
        }
        let mut finished = Finished::default();
        {
            let mut state = self.state.lock();
            state.is_closed = true;
            for attempt in std::mem::take(&mut state.enqueues) {
                finished.enqueue(attempt, Err(cancelled("Enqueue operation was cancelled")));
            }
            self.serve(&mut state, &mut finished);
        }
        finished.run();
        done(Ok(()));
    }

    fn join_enqueues(self: &Arc<Self>, elements: Option<VecDeque<Element>>, cancellation: &Arc<CancellationManager>, done: EnqueueDone) {
        let mut finished = Finished::default();
        let id = {
            let mut state = self.state.lock();
            let id = state.next_id();
            state.enqueues.push_back(Enqueue { id, elements, done, waiting: None });
            self.serve(&mut state, &mut finished);
            state.enqueues.iter().any(|a| a.id == id).then_some(id)
        };
        finished.run();
        if let Some(id) = id {
            self.wait(id, cancellation);
        }
    }

    /// Takes `wanted` elements out as they come; `done` is called when all are there. If the queue is closed before, what was taken
    /// is put back and it is an error, unless `allow_small` and there is at least one.
    pub(crate) fn dequeue(self: &Arc<Self>, wanted: usize, allow_small: bool, cancellation: &Arc<CancellationManager>, done: DequeueDone) {
        if wanted == 0 {
            return done(Ok(vec![]));
        }
        let mut finished = Finished::default();
        let id = {
            let mut state = self.state.lock();
            let id = state.next_id();
            state.dequeues.push_back(Dequeue { id, wanted, allow_small, taken: Vec::new(), done, waiting: None });
            self.serve(&mut state, &mut finished);
            state.dequeues.iter().any(|a| a.id == id).then_some(id)
        };
        finished.run();
        if let Some(id) = id {
            self.wait(id, cancellation);
        }
    }

    /// Lets an attempt that could not be served at once be cancelled.
    fn wait(self: &Arc<Self>, id: u64, cancellation: &Arc<CancellationManager>) {
        let queue = self.clone();
        match cancellation.register(move |_| queue.cancel(id)) {
            Err(_) => self.cancel(id),
            Ok(token) => {
                let mut state = self.state.lock();
                let waiting = if let Some(a) = state.enqueues.iter_mut().find(|a| a.id == id) {
                    &mut a.waiting
                } else if let Some(a) = state.dequeues.iter_mut().find(|a| a.id == id) {
                    &mut a.waiting
                } else {
                    drop(state);
                    cancellation.deregister(token);
                    return;
                };
                *waiting = Some((cancellation.clone(), token));
            }
        }
    }

    /// Ends a wait: elements that were taken go back, those that are not in yet are dropped.
    fn cancel(&self, id: u64) {
        let mut finished = Finished::default();
        {
            let mut state = self.state.lock();
            if let Some(at) = state.enqueues.iter().position(|a| a.id == id) {
                if let Some(attempt) = state.enqueues.remove(at) {
                    let reason =
                        format!("Enqueue operation was cancelled: queue '{}' is full with {} elements", self.name, state.storage.len());
                    finished.enqueue(attempt, Err(cancelled(reason)));
                }
            } else if let Some(at) = state.dequeues.iter().position(|a| a.id == id)
                && let Some(mut attempt) = state.dequeues.remove(at)
            {
                state.storage.put_back(std::mem::take(&mut attempt.taken));
                let (name, have, need) = (&self.name, state.storage.len(), attempt.wanted);
                let reason = format!("Dequeue operation was cancelled: queue '{name}' has {have} of {need} elements");
                finished.dequeue(attempt, Err(cancelled(reason)));
            }
            self.serve(&mut state, &mut finished);
        }
        finished.run();
    }

    /// Serves the first in each line as long as one of them can go on.
    fn serve(&self, state: &mut State, finished: &mut Finished) {
        while self.serve_enqueue(state, finished) | self.serve_dequeue(state, finished) {}
    }

    /// Whether there was progress.
    fn serve_enqueue(&self, state: &mut State, finished: &mut Finished) -> bool {
        let Some(first) = state.enqueues.front_mut() else { return false };
        let mut progress = false;
        let result = match &mut first.elements {
            None if state.is_closed => Err(cancelled(format!("Queue '{}' is already closed.", self.name))),
            None => {
                state.is_closed = true;
                Ok(())
            }
            Some(_) if state.is_closed => Err(cancelled(format!("{} '{}' is closed.", self.spec.kind.name(), self.name))),
            Some(elements) => {
                let mut result = Ok(());
                while result.is_ok()
                    && !elements.is_empty()
                    && (self.spec.capacity < 0 || state.storage.len() < self.spec.capacity as usize)
                {
                    progress = true;
                    result = elements.pop_front().map_or(Ok(()), |element| state.storage.push(element));
                }
                if result.is_ok() && !elements.is_empty() {
                    return progress;
                }
                result
            }
        };
        if let Some(attempt) = state.enqueues.pop_front() {
            finished.enqueue(attempt, result);
        }
        true
    }

    /// Whether there was progress.
    fn serve_dequeue(&self, state: &mut State, finished: &mut Finished) -> bool {
        let Some(first) = state.dequeues.front_mut() else { return false };
        let size = state.storage.len();
        let mut result = Ok(());
        if state.is_closed && size + first.taken.len() < first.wanted {
            state.storage.put_back(std::mem::take(&mut first.taken));
            let size = state.storage.len();
            if first.allow_small && size > 0 {
                first.wanted = size;
            } else {
                result = Err(out_of_range(format!(
                    "{} '{}' is closed and has insufficient elements (requested {}, current size {size})",
                    self.spec.kind.name(),
                    self.name,
                    first.wanted
                )));
            }
        }
        let mut progress = false;
        if result.is_ok() {
            let staying = if state.is_closed { 0 } else { self.spec.min_after_dequeue };
            while first.taken.len() < first.wanted && state.storage.len() > staying {
                let Some(element) = state.storage.pop() else { break };
                first.taken.push(element);
                progress = true;
            }
            if first.taken.len() < first.wanted {
                return progress;
            }
        }
        if let Some(attempt) = state.dequeues.pop_front() {
            finished.dequeue(attempt, result);
        }
        true
    }
}

impl State {
    fn next_id(&mut self) -> u64 {
        self.next_id += 1;
        self.next_id
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ferroflow_tensor::{Code, Result, Tensor};

    fn queue(kind: Kind, capacity: i64) -> Arc<Queue> {
        let min_after_dequeue = if kind == Kind::RandomShuffle { 1 } else { 0 };
        let spec = QueueSpec { kind, component_types: vec![DType::Int64], shapes: vec![], capacity, min_after_dequeue, seeds: (1, 2) };
        Arc::new(Queue::new("q1", spec))
    }

    fn step() -> Arc<CancellationManager> {
        Arc::new(CancellationManager::new())
    }

    type Slot<T> = Arc<Mutex<Option<Result<T>>>>;

    fn put(queue: &Arc<Queue>, step: &Arc<CancellationManager>, numbers: &[i64]) -> Slot<()> {
        let slot = Slot::default();
        let result = slot.clone();
        let elements = numbers.iter().map(|&n| vec![Tensor::scalar(n)]).collect();
        queue.enqueue(elements, step, Box::new(move |r| *result.lock() = Some(r)));
        slot
    }

    fn take(queue: &Arc<Queue>, step: &Arc<CancellationManager>, wanted: usize, allow_small: bool) -> Slot<Vec<i64>> {
        let slot = Slot::default();
        let result = slot.clone();
        let numbers = |e: Vec<Element>| e.iter().map(|e| e[0].to_scalar::<i64>()).collect::<Result<Vec<_>>>();
        queue.dequeue(wanted, allow_small, step, Box::new(move |r| *result.lock() = Some(r.and_then(numbers))));
        slot
    }

    fn close(queue: &Arc<Queue>, cancel_pending: bool) -> Slot<()> {
        let slot = Slot::default();
        let result = slot.clone();
        queue.close(cancel_pending, &step(), Box::new(move |r| *result.lock() = Some(r)));
        slot
    }

    fn value<T: Clone>(slot: &Slot<T>) -> T {
        slot.lock().clone().expect("done").expect("a value")
    }

    fn error<T>(slot: &Slot<T>) -> (Code, String) {
        match &*slot.lock() {
            Some(Err(e)) => (e.code(), e.bare_message().to_owned()),
            Some(Ok(_)) => panic!("no error"),
            None => panic!("still waiting"),
        }
    }

    fn waits<T>(slot: &Slot<T>) -> bool {
        slot.lock().is_none()
    }

    #[test]
    fn attempts_are_served_in_their_order() {
        let q = queue(Kind::Fifo, -1);
        let (first, second) = (take(&q, &step(), 2, false), take(&q, &step(), 1, false));
        put(&q, &step(), &[1]);
        assert!(waits(&first) && waits(&second), "the second does not overtake the first");
        put(&q, &step(), &[2, 3]);
        assert_eq!((value(&first), value(&second)), (vec![1, 2], vec![3]));
    }

    #[test]
    fn a_full_queue_takes_what_it_has_room_for() {
        let q = queue(Kind::Fifo, 2);
        let all = put(&q, &step(), &[1, 2, 3]);
        let later = put(&q, &step(), &[4]);
        assert!(waits(&all) && waits(&later) && q.size() == 2);
        assert_eq!(value(&take(&q, &step(), 1, false)), [1]);
        assert!(!waits(&all) && waits(&later));
        assert_eq!(value(&take(&q, &step(), 3, false)), [2, 3, 4], "more than the capacity can be taken at once");
    }

    #[test]
    fn a_cancelled_dequeue_takes_nothing() {
        let q = queue(Kind::Fifo, -1);
        let cancelled_step = step();
        put(&q, &step(), &[1, 2]);
        let first = take(&q, &cancelled_step, 3, false);
        let second = take(&q, &step(), 2, false);
        assert!(waits(&first) && q.size() == 0);
        cancelled_step.cancel(cancelled("timed out"));
        assert_eq!(error(&first), (Code::Cancelled, "Dequeue operation was cancelled: queue 'q1' has 2 of 3 elements".to_owned()));
        assert_eq!(value(&second), [1, 2], "the next in line gets what was put back, in its order");
        let late = take(&q, &cancelled_step, 1, false);
        assert_eq!(error(&late).0, Code::Cancelled);
        put(&q, &step(), &[7]);
        assert_eq!(q.size(), 1);
    }

    #[test]
    fn a_cancelled_enqueue_leaves_room_for_the_next() {
        let q = queue(Kind::Fifo, 1);
        let cancelled_step = step();
        put(&q, &step(), &[1]);
        let (first, second) = (put(&q, &cancelled_step, &[2]), put(&q, &step(), &[3]));
        cancelled_step.cancel(cancelled("stop"));
        assert_eq!(error(&first), (Code::Cancelled, "Enqueue operation was cancelled: queue 'q1' is full with 1 elements".to_owned()));
        assert!(waits(&second));
        assert_eq!(value(&take(&q, &step(), 1, false)), [1]);
        assert_eq!(value(&take(&q, &step(), 1, false)), [3]);
    }

    #[test]
    fn a_closed_queue_refuses_new_elements_and_gives_out_the_rest() {
        let q = queue(Kind::Fifo, -1);
        put(&q, &step(), &[1, 2, 3]);
        value(&close(&q, false));
        assert_eq!(error(&put(&q, &step(), &[4])), (Code::Cancelled, "FIFOQueue 'q1' is closed.".to_owned()));
        assert_eq!(error(&close(&q, false)), (Code::Cancelled, "Queue 'q1' is already closed.".to_owned()));
        value(&close(&q, true));
        assert_eq!(value(&take(&q, &step(), 2, false)), [1, 2]);
        let text = "FIFOQueue 'q1' is closed and has insufficient elements (requested 2, current size 1)";
        assert_eq!(error(&take(&q, &step(), 2, false)), (Code::OutOfRange, text.to_owned()));
        assert_eq!(value(&take(&q, &step(), 2, true)), [3]);
        let text = "FIFOQueue 'q1' is closed and has insufficient elements (requested 2, current size 0)";
        assert_eq!(error(&take(&q, &step(), 2, true)), (Code::OutOfRange, text.to_owned()));
        assert!(value(&take(&q, &step(), 0, false)).is_empty());
    }

    #[test]
    fn closing_lets_pending_enqueues_finish_unless_they_are_to_be_cancelled() {
        let q = queue(Kind::Fifo, 1);
        put(&q, &step(), &[1]);
        let pending = put(&q, &step(), &[2]);
        let closed = close(&q, false);
        assert!(waits(&closed) && !q.is_closed());
        assert_eq!(value(&take(&q, &step(), 1, false)), [1]);
        assert!(q.is_closed() && !waits(&pending) && !waits(&closed));
        let q = queue(Kind::Fifo, 1);
        put(&q, &step(), &[1]);
        let pending = put(&q, &step(), &[2]);
        value(&close(&q, true));
        assert_eq!(error(&pending).0, Code::Cancelled);
        assert_eq!(value(&take(&q, &step(), 1, false)), [1]);
    }

    #[test]
    fn a_waiting_dequeue_ends_when_the_queue_is_closed() {
        let q = queue(Kind::Fifo, -1);
        put(&q, &step(), &[1]);
        let (strict, lenient) = (take(&q, &step(), 2, false), take(&q, &step(), 2, true));
        close(&q, false);
        assert_eq!(error(&strict).0, Code::OutOfRange);
        assert_eq!(value(&lenient), [1]);
    }

    #[test]
    fn a_shuffling_queue_keeps_a_reserve_until_it_is_closed() {
        let q = queue(Kind::RandomShuffle, -1);
        put(&q, &step(), &[1]);
        let first = take(&q, &step(), 1, false);
        assert!(waits(&first), "one element must stay");
        put(&q, &step(), &[2]);
        let got = value(&first)[0];
        let last = take(&q, &step(), 1, false);
        assert!(waits(&last));
        close(&q, false);
        assert_eq!(value(&last)[0] + got, 3);
    }
}
