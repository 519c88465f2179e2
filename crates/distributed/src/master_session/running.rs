//! The runs of a session that go on, so that closing it can end them and wait for them.

use super::compile::CompiledStep;
use super::step_run::StepRun;
use crate::call::Done;
use ferroflow_tensor::error::{cancelled, failed_precondition};
use ferroflow_tensor::{Error, Result};
use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::Arc;

#[derive(Default)]
struct State {
    closed: bool,
    runs: HashMap<u64, Arc<StepRun>>,
    waiting: Vec<Done<()>>,
}

#[derive(Default)]
pub(super) struct Running {
    state: Mutex<State>,
}

impl Running {
    /// Notes a run.
    ///
    /// Errors: `FailedPrecondition` if the session is closed.
    pub fn enter(&self, number: u64, run: &Arc<StepRun>) -> Result<()> {
        let mut state = self.state.lock();
        if state.closed {
            return Err(failed_precondition("Session is closed."));
        }
        state.runs.insert(number, run.clone());
        Ok(())
    }

    /// Forgets a run.
    pub fn leave(&self, number: u64) {
        let mut state = self.state.lock();
        let run = state.runs.remove(&number);
        let waiting = if state.runs.is_empty() { std::mem::take(&mut state.waiting) } else { Vec::new() };
        drop(state);
        drop(run);
        waiting.into_iter().for_each(|done| done(Ok(())));
    }

    /// Refuses further runs, ends those that go on, and calls `done` when none is left.
    pub fn close(&self, done: Done<()>) {
        let mut state = self.state.lock();
        state.closed = true;
        let runs: Vec<Arc<StepRun>> = state.runs.values().cloned().collect();
        if runs.is_empty() {
            drop(state);
            return done(Ok(()));
        }
        state.waiting.push(done);
        drop(state);
        for run in runs {
            run.end(cancelled("Step was cancelled by an explicit call to `Session::Close()`."));
        }
    }

    /// Ends the runs of some steps for this reason.
    pub fn end_those(&self, of: impl Fn(&CompiledStep) -> bool, reason: &Error) {
        let runs: Vec<Arc<StepRun>> = self.state.lock().runs.values().filter(|run| of(run.compiled())).cloned().collect();
        runs.iter().for_each(|run| run.end(reason.clone()));
    }

    /// Whether further runs are refused.
    pub fn is_closed(&self) -> bool {
        self.state.lock().closed
    }

    /// How many runs go on.
    pub fn len(&self) -> usize {
        self.state.lock().runs.len()
    }
}
