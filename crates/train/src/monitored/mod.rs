//! `MonitoredTrainingSession`: a session that initialises or restores, saves, stops, and survives lost tasks
//! (TF: `MonitoredTrainingSession`).

mod builder;
mod manager;
mod recovery;

pub use builder::MonitoredBuilder;
pub use recovery::{Recovery, RecoveryLimit};

use crate::hook::{Hook, RunValues};
use crate::session::{Fetch, Session};
use ferroflow_graph::Output;
use ferroflow_tensor::error::failed_precondition;
use ferroflow_tensor::{Result, Tensor};
use manager::SessionManager;

/// A training session with hooks. Made by [`MonitoredBuilder`].
pub struct MonitoredTrainingSession {
    manager: SessionManager,
    session: Option<Session>,
    hooks: Vec<Box<dyn Hook>>,
    recovery: Recovery,
    stop: bool,
}

impl MonitoredTrainingSession {
    /// Whether a hook or [`MonitoredTrainingSession::request_stop`] has asked to stop.
    pub fn should_stop(&self) -> bool {
        self.stop
    }

    /// Asks the training loop to stop.
    pub fn request_stop(&mut self) {
        self.stop = true;
    }

    /// What has been recovered from so far.
    pub fn recovery(&self) -> &Recovery {
        &self.recovery
    }

    /// The session of the moment, for runs without hooks.
    ///
    /// Errors: `FailedPrecondition` once closed.
    pub fn raw_session(&self) -> Result<&Session> {
        self.session.as_ref().ok_or_else(|| failed_precondition("the monitored session is closed"))
    }

    /// Runs a step with all hooks. A lost task costs a new session, not the training.
    ///
    /// Errors: the step's, but not `Aborted` and `Unavailable` until the limit of recoveries is reached; those of hooks.
    pub fn run<F: Fetch>(&mut self, fetches: F) -> Result<F::Value> {
        self.run_fed(&[], fetches)
    }

    /// As [`MonitoredTrainingSession::run`], with feeds.
    ///
    /// Errors: as [`MonitoredTrainingSession::run`].
    pub fn run_fed<F: Fetch>(&mut self, feeds: &[(&Output, Tensor)], fetches: F) -> Result<F::Value> {
        let feeds: Vec<(String, Tensor)> = feeds.iter().map(|(o, t)| (o.name(), t.clone())).collect();
        loop {
            match self.try_run(&feeds, &fetches) {
                Err(e) if Recovery::is_recoverable(&e) => self.recover(e)?,
                outcome => return outcome,
            }
        }
    }

    fn try_run<F: Fetch>(&mut self, feeds: &[(String, Tensor)], fetches: &F) -> Result<F::Value> {
        let session = self.raw_session()?.clone();
        let wanted: Vec<Vec<Output>> = self.hooks.iter_mut().map(|h| h.before_run()).collect();
        let outputs: Vec<&Output> = wanted.iter().flatten().collect();
        let both = (Borrowed(fetches), outputs);
        let (value, mut fetched) = session.step().feed_all(feeds).run_ref(&both)?;
        for (hook, wanted) in self.hooks.iter_mut().zip(&wanted) {
            let rest = fetched.split_off(wanted.len());
            hook.after_run(RunValues { session: &session, fetched: &fetched, stop: &mut self.stop })?;
            fetched = rest;
        }
        Ok(value)
    }

    /// Makes a new session after a failure, as often as it takes within the limit.
    fn recover(&mut self, mut cause: ferroflow_tensor::Error) -> Result<()> {
        loop {
            self.recovery.note(&cause)?;
            if let Some(old) = self.session.take()
                && let Err(e) = old.close()
            {
                tracing::debug!(error = %e, "closing the failed session");
            }
            let made = self.manager.make().and_then(|session| {
                self.hooks.iter_mut().try_for_each(|h| h.after_create_session(&session))?;
                Ok(session)
            });
            match made {
                Ok(session) => {
                    self.session = Some(session);
                    return Ok(());
                }
                Err(e) if Recovery::is_recoverable(&e) => cause = e,
                Err(e) => return Err(e),
            }
        }
    }

    /// Ends training: hooks get their last word (a last checkpoint, flushed summaries), then the session is closed.
    ///
    /// Errors: the first of the hooks'; of closing, except that a task is gone already.
    pub fn close(mut self) -> Result<()> {
        let Some(session) = self.session.take() else { return Ok(()) };
        let mut outcome = Ok(());
        for hook in &mut self.hooks {
            let ended = hook.end(&session);
            if outcome.is_ok() {
                outcome = ended;
            }
        }
        match session.close() {
            Err(e) if !Recovery::is_recoverable(&e) && outcome.is_ok() => Err(e),
            _ => outcome,
        }
    }
}

impl Drop for MonitoredTrainingSession {
    /// Without [`MonitoredTrainingSession::close`], as after an error: the session is closed, hooks are not called.
    fn drop(&mut self) {
        if let Some(session) = self.session.take()
            && let Err(e) = session.close()
        {
            tracing::debug!(error = %e, "closing the session");
        }
    }
}

/// A fetch that is used again after a failure.
struct Borrowed<'a, F>(&'a F);

impl<F: Fetch> Fetch for Borrowed<'_, F> {
    type Value = F::Value;

    fn plan(&self, plan: &mut crate::session::FetchPlan) {
        self.0.plan(plan);
    }

    fn collect(&self, results: &mut crate::session::Results) -> Result<F::Value> {
        self.0.collect(results)
    }
}
