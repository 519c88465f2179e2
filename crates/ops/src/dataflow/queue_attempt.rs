//! Attempts to enqueue and to dequeue, as they wait in the lines of a queue, and what is called when they end (TF: `QueueBase::Attempt`).

use super::queue_storage::Element;
use ferroflow_graph::kernel::{CancellationManager, CancellationToken};
use ferroflow_tensor::Result;
use std::collections::VecDeque;
use std::sync::Arc;

/// Called once when all elements are in, or the queue is closed.
pub(super) type EnqueueDone = Box<dyn FnOnce(Result<()>) + Send>;
/// Called once with the elements.
pub(super) type DequeueDone = Box<dyn FnOnce(Result<Vec<Element>>) + Send>;

/// How to end the wait of an attempt early.
pub(super) type Waiting = Option<(Arc<CancellationManager>, CancellationToken)>;

/// An attempt to add elements, or to close the queue.
pub(super) struct Enqueue {
    pub(super) id: u64,
    /// `None` closes the queue when its turn comes.
    pub(super) elements: Option<VecDeque<Element>>,
    pub(super) done: EnqueueDone,
    pub(super) waiting: Waiting,
}

/// An attempt to take elements out.
pub(super) struct Dequeue {
    pub(super) id: u64,
    pub(super) wanted: usize,
    /// Whether fewer are enough once the queue is closed.
    pub(super) allow_small: bool,
    pub(super) taken: Vec<Element>,
    pub(super) done: DequeueDone,
    pub(super) waiting: Waiting,
}

/// Callbacks to run once the lock is released.
#[derive(Default)]
pub(super) struct Finished(Vec<Box<dyn FnOnce() + Send>>);

impl Finished {
    /// The attempt ends with this result.
    pub(super) fn enqueue(&mut self, attempt: Enqueue, result: Result<()>) {
        self.0.push(Box::new(move || {
            stop_waiting(attempt.waiting);
            (attempt.done)(result);
        }));
    }

    /// The attempt ends with what it has taken, or an error.
    pub(super) fn dequeue(&mut self, attempt: Dequeue, result: Result<()>) {
        self.0.push(Box::new(move || {
            stop_waiting(attempt.waiting);
            (attempt.done)(result.map(|()| attempt.taken));
        }));
    }

    /// Calls all back; the lock must not be held.
    pub(super) fn run(self) {
        self.0.into_iter().for_each(|callback| callback());
    }
}

fn stop_waiting(waiting: Waiting) {
    if let Some((manager, token)) = waiting {
        manager.deregister(token);
    }
}
