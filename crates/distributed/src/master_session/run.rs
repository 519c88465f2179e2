//! A whole run of a session's graph (TF: `MasterSession::Run`).

use super::MasterSession;
use super::compile::{CompiledStep, StepSlot};
use super::requests::{RunOptions, RunRequest, RunResponse};
use super::step_cache::Binding;
use super::step_run::{Outcome, StepPlan, StepRun};
use crate::call::{CallOptions, Done, shortly_before};
use crate::timer::Alarm;
use crate::worker::not_valid;
use ferroflow_graph::kernel::Value;
use ferroflow_tensor::error::{deadline_exceeded, failed_precondition, invalid_argument};
use ferroflow_tensor::{Result, Tensor};
use parking_lot::Mutex;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A run whose step is being compiled.
struct WaitingRun {
    done: Mutex<Option<Done<RunResponse>>>,
    alarm: Mutex<Option<Alarm>>,
}

/// A feed with its name, looked at as a name.
struct FeedName<'a>(&'a (String, Tensor));

impl AsRef<str> for FeedName<'_> {
    fn as_ref(&self) -> &str {
        &self.0.0
    }
}

impl MasterSession {
    /// Runs one step. What has run before runs on the calling thread as far as it can; nothing here blocks.
    pub(crate) fn run(self: &Arc<Self>, request: RunRequest, options: CallOptions, done: Done<RunResponse>) {
        if self.running.is_closed() {
            return done(Err(failed_precondition("Session is closed.")));
        }
        if !request.partial_run_handle.is_empty() {
            return self.continue_partial_run(request, options, done);
        }
        let names: Vec<FeedName> = request.feeds.iter().map(FeedName).collect();
        let binding = self.steps.bind(&names, &request.fetches, &request.targets);
        drop(names);
        let feeds = request.feeds.into_iter().map(|(_, tensor)| tensor).collect();
        self.run_bound(binding, feeds, request.fetches, request.options, options, done);
    }

    /// Runs a step whose names are bound: feeds and fetches are in the order of the binding.
    pub(super) fn run_bound(
        self: &Arc<Self>,
        binding: Arc<Binding>,
        feeds: Vec<Tensor>,
        fetches: Vec<String>,
        run_options: RunOptions,
        options: CallOptions,
        done: Done<RunResponse>,
    ) {
        if let Some(compiled) = binding.slot.ready() {
            return self.run_compiled(compiled, &binding, feeds, fetches, run_options, options, done);
        }
        let waiting = Arc::new(WaitingRun { done: Mutex::new(Some(done)), alarm: Mutex::new(None) });
        let (began, limit) = (Instant::now(), run_options.timeout.or(self.seed.config.operation_timeout));
        if let Some(limit) = limit {
            self.limit_compilation(&waiting, &binding.slot, limit);
        }
        let (session, bound) = (self.clone(), binding.clone());
        binding.slot.get(
            self,
            Box::new(move |compiled| {
                drop(waiting.alarm.lock().take());
                let Some(done) = waiting.done.lock().take() else { return };
                let left = limit.map(|limit| limit.saturating_sub(began.elapsed()));
                match compiled {
                    Ok(compiled) => {
                        let run_options = RunOptions { timeout: left, ..run_options };
                        session.run_compiled(compiled, &bound, feeds, fetches, run_options, options, done);
                    }
                    Err(e) => {
                        session.note_failure(&e);
                        done(Err(e))
                    }
                }
            }),
        );
    }

    /// Ends a run at its limit if it is not even ready by then: some task does not answer.
    fn limit_compilation(self: &Arc<Self>, waiting: &Arc<WaitingRun>, slot: &Arc<StepSlot>, limit: Duration) {
        let (session, slot, run) = (self.clone(), slot.clone(), Arc::downgrade(waiting));
        let alarm = self.seed.env.worker_env().timer.after(shortly_before(limit), move || {
            let Some(done) = run.upgrade().and_then(|run| run.done.lock().take()) else { return };
            let silent: Vec<String> = slot.awaited().iter().map(|task| session.describe_task(task)).collect();
            done(Err(deadline_exceeded(format!(
                "Deadline Exceeded: the step was not ready within {} ms; its part was not yet taken by {}",
                limit.as_millis(),
                silent.join(", ")
            ))));
        });
        *waiting.alarm.lock() = Some(alarm);
    }

    #[allow(clippy::too_many_arguments)]
    fn run_compiled(
        self: &Arc<Self>,
        compiled: Arc<CompiledStep>,
        binding: &Arc<Binding>,
        feeds: Vec<Tensor>,
        fetches: Vec<String>,
        run_options: RunOptions,
        options: CallOptions,
        done: Done<RunResponse>,
    ) {
        if let Some(e) = self.leave_queues_open(&compiled) {
            return done(Err(e));
        }
        let args = match arguments(&compiled, binding, feeds) {
            Ok(args) => args,
            Err(e) => return done(Err(e)),
        };
        let step_id = super::new_step_id();
        let plan = StepPlan { compiled, step_id, args, sends: vec![], recv_keys: vec![], partial: None, options: run_options };
        let (session, binding) = (self.clone(), binding.clone());
        let ended = Box::new(move |result: Result<Outcome>| {
            done(result.and_then(|outcome| {
                let fetch = |(name, &i): (&String, &usize)| -> Result<Tensor> {
                    match outcome.results.get(i) {
                        Some(Some(value)) => value.to_tensor(),
                        _ => Err(not_valid(step_id, &session.client_key(name))),
                    }
                };
                let fetches = fetches.iter().zip(&binding.result_of_fetch).map(fetch).collect::<Result<_>>()?;
                Ok(RunResponse { fetches, metadata: outcome.metadata })
            }));
        });
        StepRun::start(self, plan, options, ended);
    }
}

/// The feeds in the order of the step.
fn arguments(compiled: &CompiledStep, binding: &Binding, feeds: Vec<Tensor>) -> Result<Vec<Value>> {
    let mut args: Vec<Option<Value>> = compiled.feed_types.iter().map(|_| None).collect();
    for (tensor, &i) in feeds.into_iter().zip(&binding.arg_of_feed) {
        let (Some(place), Some(want)) = (args.get_mut(i), compiled.feed_types.get(i)) else { continue };
        if tensor.dtype() != *want {
            let name = binding.slot.signature.feeds.get(i).map_or("", |n| n);
            return Err(invalid_argument(format!("{name} is fed a tensor of type {} where {want} is expected", tensor.dtype())));
        }
        *place = Some(Value::Tensor(tensor));
    }
    args.into_iter().map(|a| a.ok_or_else(|| invalid_argument("a feed is missing"))).collect()
}
