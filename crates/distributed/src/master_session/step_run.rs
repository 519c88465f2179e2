//! One run of a compiled step: all partitions at once, the first real failure ends the others (TF: `RunManyGraphs`).

use super::MasterSession;
use super::compile::CompiledStep;
use super::requests::{RunMetadata, RunOptions};
use super::shard_writers::naming_writer;
use crate::call::{CallOptions, CancelLink, Done, cancel_with, shortly_before};
use crate::graph_mgr::more_telling;
use crate::request_ids::new_request_id;
use crate::timer::Alarm;
use crate::worker::{LocalOutcome, LocalRun};
use crate::worker_interface::{RunGraphRequest, RunGraphResponse};
use ferroflow_graph::kernel::{CancellationManager, Value};
use ferroflow_tensor::error::{cancelled, deadline_exceeded, internal};
use ferroflow_tensor::{Code, Error, Result, Tensor};
use parking_lot::Mutex;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// How long a step that is ended waits for the tasks to say what it waited for.
const ACCOUNT_WITHIN: Duration = Duration::from_millis(100);

/// What to run.
pub(super) struct StepPlan {
    pub compiled: Arc<CompiledStep>,
    pub step_id: i64,
    /// Values of the local partition, by index.
    pub args: Vec<Value>,
    /// Values for this task's partition, by key.
    pub sends: Vec<(Arc<str>, Tensor)>,
    /// Keys of the values wanted from this task's partition.
    pub recv_keys: Vec<Arc<str>>,
    /// For a call of a partial run: whether it is the last.
    pub partial: Option<bool>,
    pub options: RunOptions,
}

/// What all partitions returned together.
#[derive(Default)]
pub(super) struct Outcome {
    pub results: Vec<Option<Value>>,
    pub recvs: Vec<(Arc<str>, Tensor)>,
    pub metadata: RunMetadata,
}

/// A run that goes on.
pub(super) struct StepRun {
    session: Arc<MasterSession>,
    number: u64,
    compiled: Arc<CompiledStep>,
    step_id: i64,
    partial: Option<bool>,
    cancellation: Arc<CancellationManager>,
    state: Mutex<State>,
}

struct State {
    left: usize,
    ended: Vec<bool>,
    error: Option<Error>,
    /// Whether what still runs has been told to end, so that its errors mean nothing.
    ending: bool,
    /// Whether the time was up; what the parts then say of themselves goes into the error.
    expired: bool,
    accounts: Vec<String>,
    outcome: Outcome,
    done: Option<Done<Outcome>>,
    guards: (Option<CancelLink>, Option<Alarm>),
}

impl State {
    /// Why the run failed, and what its parts were in the middle of when their time was up.
    fn error(&self) -> Error {
        match &self.error {
            Some(e) if self.accounts.is_empty() => e.clone(),
            Some(e) => Error::new(e.code(), format!("{}\n{}", e.message(), self.accounts.join("\n"))),
            None => internal("the step ended without a reason"),
        }
    }
}

impl StepRun {
    /// Starts a run, on the calling thread as far as it can go.
    pub fn start(session: &Arc<MasterSession>, plan: StepPlan, options: CallOptions, done: Done<Outcome>) {
        let StepPlan { compiled, step_id, args, sends, recv_keys, partial, options: run_options } = plan;
        let parts = compiled.parts.len() + compiled.local.is_some() as usize;
        let state = State {
            left: parts,
            ended: vec![false; parts],
            error: None,
            ending: false,
            expired: false,
            accounts: Vec::new(),
            outcome: Outcome::default(),
            done: Some(done),
            guards: (None, None),
        };
        let run = Arc::new(StepRun {
            session: session.clone(),
            number: session.next_run(),
            compiled,
            step_id,
            partial,
            cancellation: Arc::default(),
            state: Mutex::new(state),
        });
        if let Err(e) = session.running.enter(run.number, &run) {
            return run.respond(Err(e));
        }
        match cancel_with(options.cancellation.as_ref(), &run.cancellation, |_| ()) {
            Ok(link) => run.state.lock().guards.0 = Some(link),
            Err(reason) => {
                run.fail(reason);
                return run.finish();
            }
        }
        if let Some(limit) = run_options.timeout.or(session.seed.config.operation_timeout) {
            run.set_alarm(limit);
        }
        if parts == 0 {
            return run.finish();
        }
        let costs = run.wants_costs();
        run.start_parts(sends, recv_keys, run_options, costs);
        run.start_local(args, run_options, costs);
    }

    /// The step that runs.
    pub fn compiled(&self) -> &CompiledStep {
        &self.compiled
    }

    /// Whether the session's options want the costs of this run: that of every so manieth run of a step.
    fn wants_costs(&self) -> bool {
        let every = self.session.seed.config.build_cost_model;
        every > 0 && self.partial.is_none() && (self.compiled.runs.fetch_add(1, Ordering::Relaxed) + 1).is_multiple_of(every)
    }

    fn start_parts(
        self: &Arc<Self>,
        mut sends: Vec<(Arc<str>, Tensor)>,
        mut recv_keys: Vec<Arc<str>>,
        options: RunOptions,
        record_costs: bool,
    ) {
        for (i, part) in self.compiled.parts.iter().enumerate() {
            let request = RunGraphRequest {
                session_handle: self.session.handle().clone(),
                create_worker_session_called: true,
                graph_handle: part.graph_handle.clone(),
                step_id: self.step_id,
                sends: if part.is_own { std::mem::take(&mut sends) } else { Vec::new() },
                recv_keys: if part.is_own { std::mem::take(&mut recv_keys) } else { Vec::new() },
                record_timeline: options.trace,
                record_costs,
                record_partition_graphs: options.output_partition_graphs,
                is_partial: self.partial.is_some(),
                is_last_partial_run: self.partial == Some(true),
                request_id: new_request_id(),
            };
            let run = self.clone();
            let ended = Box::new(move |result: Result<RunGraphResponse>| {
                let outcome = result.map(|r| Outcome {
                    results: Vec::new(),
                    recvs: r.recvs,
                    metadata: RunMetadata { stats: r.stats, costs: r.costs, partition_graphs: r.partition_graphs },
                });
                run.part_ended(i, outcome);
            });
            let options = CallOptions { account: Some(ACCOUNT_WITHIN), ..CallOptions::cancelled_by(&self.cancellation) };
            part.worker.run_graph(options, request, ended);
        }
    }

    fn start_local(self: &Arc<Self>, args: Vec<Value>, options: RunOptions, record_costs: bool) {
        let Some(graph) = &self.compiled.local else { return };
        let i = self.compiled.parts.len();
        let session = match self.session.local() {
            Ok(session) => session,
            Err(e) => return self.part_ended(i, Err(e)),
        };
        let local = LocalRun {
            session,
            graph,
            step_id: self.step_id,
            is_distributed: !self.compiled.parts.is_empty(),
            args,
            record_timeline: options.trace,
            record_costs,
        };
        let run = self.clone();
        let partition_graphs = if options.output_partition_graphs { graph.pieces() } else { Vec::new() };
        let ended = Box::new(move |result: Result<LocalOutcome>| {
            let outcome = result.map(|r| Outcome {
                results: r.results,
                recvs: Vec::new(),
                metadata: RunMetadata { stats: r.stats, costs: r.costs, partition_graphs },
            });
            run.part_ended(i, outcome);
        });
        self.session.seed.env.worker.run_local(local, &self.cancellation, ended);
    }

    fn task(&self, i: usize) -> &Arc<str> {
        self.compiled.parts.get(i).map_or(&self.session.own_name, |p| &p.task)
    }

    fn part_ended(&self, i: usize, result: Result<Outcome>) {
        let mut state = self.state.lock();
        state.ended[i] = true;
        state.left -= 1;
        let mut end_others = false;
        match result {
            Ok(part) => {
                if !part.results.is_empty() {
                    state.outcome.results = part.results;
                }
                state.outcome.recvs.extend(part.recvs);
                state.outcome.metadata.stats.extend(part.metadata.stats);
                state.outcome.metadata.costs.nodes.extend(part.metadata.costs.nodes);
                state.outcome.metadata.partition_graphs.extend(part.metadata.partition_graphs);
            }
            Err(e) => {
                let told_to_end = state.ending && e.code() == Code::Cancelled;
                let e = e.at_task(self.task(i));
                if state.expired && e.code() == Code::Cancelled && !e.is_derived() {
                    state.accounts.push(e.message());
                }
                let error = more_telling(state.error.take(), if told_to_end { e.derived() } else { e });
                // A consequence is no reason to end the others: the cause is on its way, and ending them might hide it.
                end_others = !error.is_derived() && !state.ending;
                state.ending |= end_others;
                state.error = Some(error);
            }
        }
        let last = state.left == 0;
        drop(state);
        if end_others && !last {
            self.cancellation.cancel(cancelled("the step ends because another part of it has failed").derived());
        }
        if last {
            self.finish();
        }
    }

    /// Notes the reason of the failure, if there is none yet that says more.
    fn fail(&self, error: Error) {
        let mut state = self.state.lock();
        state.ending = true;
        state.error = Some(more_telling(state.error.take(), error));
    }

    /// Ends the run for this reason. The caller is answered at once, even if some task does not answer.
    pub fn end(&self, reason: Error) {
        self.fail(reason.clone());
        self.cancellation.cancel(reason);
        let error = self.state.lock().error();
        self.respond(Err(error));
    }

    fn set_alarm(self: &Arc<Self>, limit: Duration) {
        let run = Arc::downgrade(self);
        let alarm = self.session.seed.env.worker_env().timer.after(shortly_before(limit), move || {
            if let Some(run) = run.upgrade() {
                run.expire(limit);
            }
        });
        self.state.lock().guards.1 = Some(alarm);
    }

    /// Ends the run because its time is up. The caller is answered when every part has said what it was in the middle of, at the latest
    /// shortly before the caller's own clock would end the call.
    fn expire(self: &Arc<Self>, limit: Duration) {
        let silent = self.unfinished().join(", ");
        let ms = limit.as_millis();
        let reason = deadline_exceeded(format!("Deadline Exceeded: the step did not end within {ms} ms; it still ran on {silent}"));
        let run = Arc::downgrade(self);
        let left = (limit - shortly_before(limit)) / 2;
        let last = self.session.seed.env.worker_env().timer.after(left, move || {
            if let Some(run) = run.upgrade() {
                let error = run.state.lock().error();
                run.respond(Err(error));
            }
        });
        self.fail(reason.clone());
        let mut state = self.state.lock();
        state.expired = true;
        let before = state.guards.1.replace(last);
        drop(state);
        drop(before);
        self.cancellation.cancel(reason);
    }

    /// The tasks whose part has not ended.
    fn unfinished(&self) -> Vec<String> {
        let state = self.state.lock();
        let open = state.ended.iter().enumerate().filter(|(_, ended)| !**ended);
        open.map(|(i, _)| self.session.describe_task(self.task(i))).collect()
    }

    fn respond(&self, result: Result<Outcome>) {
        let done = self.state.lock().done.take();
        if let Some(done) = done {
            done(result);
        }
    }

    /// Every part has ended.
    fn finish(&self) {
        let (result, guards) = {
            let mut state = self.state.lock();
            let outcome = std::mem::take(&mut state.outcome);
            let result = if state.error.is_some() { Err(state.error()) } else { Ok(outcome) };
            (result, std::mem::take(&mut state.guards))
        };
        drop(guards);
        if let Err(e) = &result {
            self.session.note_failure(e);
        }
        let is_over = self.partial != Some(false) || result.is_err();
        // Before the caller is answered, so that it may close the session at once.
        self.session.running.leave(self.number);
        self.respond(result.map_err(|e| naming_writer(e, self.session.graph.lock().placed())));
        if is_over {
            self.clean_up();
        }
    }

    /// Lets the workers forget the step.
    fn clean_up(&self) {
        if !self.compiled.parts.is_empty() {
            clean_up(&self.session, &self.compiled, self.step_id);
        } else if self.compiled.local.as_ref().is_some_and(|g| g.spans_devices()) {
            self.session.seed.env.worker.rendezvous_mgr().cleanup(self.step_id);
        }
    }
}

/// Lets all workers of a step forget it. Nobody waits for their answers.
pub(super) fn clean_up(session: &MasterSession, compiled: &CompiledStep, step_id: i64) {
    if compiled.local.is_some() {
        session.seed.env.worker.rendezvous_mgr().cleanup(step_id);
    }
    for part in &compiled.parts {
        let task = part.task.clone();
        let answered = move |result: Result<()>| {
            if let Err(e) = result {
                tracing::debug!(%task, step_id, "cleaning up a step failed: {e}");
            }
        };
        part.worker.cleanup_graph(CallOptions::default(), step_id, Box::new(answered));
    }
}
