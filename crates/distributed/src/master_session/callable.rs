//! Callables: runs with fixed feeds and fetches, which are then passed by position (TF: `MakeCallable`, `RunCallable`).

use super::MasterSession;
use super::requests::{CallableOptions, RunOptions, RunResponse};
use super::step_cache::Binding;
use crate::call::{CallOptions, Done};
use ferroflow_tensor::error::{failed_precondition, invalid_argument};
use ferroflow_tensor::{Error, Result, Tensor};
use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::Arc;

struct Callable {
    binding: Arc<Binding>,
    options: RunOptions,
    fetches: Vec<String>,
}

#[derive(Default)]
struct State {
    next: i64,
    callables: HashMap<i64, Arc<Callable>>,
}

/// The callables of a session, by handle.
#[derive(Default)]
pub(super) struct Callables {
    state: Mutex<State>,
}

impl Callables {
    fn add(&self, callable: Callable) -> i64 {
        let mut state = self.state.lock();
        let handle = state.next;
        state.next += 1;
        state.callables.insert(handle, Arc::new(callable));
        handle
    }

    fn find(&self, handle: i64) -> Result<Arc<Callable>> {
        let state = self.state.lock();
        state.callables.get(&handle).cloned().ok_or_else(|| state.unknown(handle))
    }

    fn remove(&self, handle: i64) -> Result<()> {
        let mut state = self.state.lock();
        let removed = state.callables.remove(&handle);
        removed.map(drop).ok_or_else(|| invalid_argument(format!("No such callable handle: {handle}")))
    }
}

impl State {
    fn unknown(&self, handle: i64) -> Error {
        if (0..self.next).contains(&handle) {
            invalid_argument(format!("Attempted to run callable after handle was released: {handle}"))
        } else {
            invalid_argument(format!("No such callable handle: {handle}"))
        }
    }
}

impl MasterSession {
    /// Compiles and registers a run; returns its handle.
    pub(crate) fn make_callable(self: &Arc<Self>, options: CallableOptions, done: Done<i64>) {
        if self.running.is_closed() {
            return done(Err(failed_precondition("Session is closed.")));
        }
        let CallableOptions { signature, options } = options;
        let binding = self.steps.bind_as_written(signature.clone());
        let (session, slot) = (self.clone(), binding.slot.clone());
        let compiled = move |result: Result<_>| {
            done(result.map(|_| session.callables.add(Callable { binding, options, fetches: signature.fetches })));
        };
        slot.get(self, Box::new(compiled));
    }

    /// Runs a callable.
    pub(crate) fn run_callable(self: &Arc<Self>, handle: i64, feeds: Vec<Tensor>, options: CallOptions, done: Done<RunResponse>) {
        let callable = match self.callables.find(handle) {
            Ok(callable) => callable,
            Err(e) => return done(Err(e)),
        };
        if feeds.len() != callable.binding.arg_of_feed.len() {
            let want = callable.binding.arg_of_feed.len();
            return done(Err(invalid_argument(format!("Expected {want} feed tensors, but got {}", feeds.len()))));
        }
        let fetches = callable.fetches.clone();
        self.run_bound(callable.binding.clone(), feeds, fetches, callable.options, options, done);
    }

    /// Forgets a callable.
    ///
    /// Errors: `InvalidArgument` `No such callable handle: …`.
    pub(crate) fn release_callable(&self, handle: i64) -> Result<()> {
        self.callables.remove(handle)
    }
}
