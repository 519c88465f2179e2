//! Partial runs: one step, fed and fetched in several calls (TF: `MasterSession::PartialRun`).

use super::MasterSession;
use super::compile::CompiledStep;
use super::requests::{RunRequest, RunResponse, Signature};
use super::step_run::{Outcome, StepPlan, StepRun, clean_up};
use crate::call::{CallOptions, Done};
use ferroflow_graph::kernel::RendezvousKey;
use ferroflow_runtime::prune::{FeedFetch, check_computable, normalized_tensor_name};
use ferroflow_tensor::error::{failed_precondition, internal, invalid_argument};
use ferroflow_tensor::{Result, Tensor};
use parking_lot::Mutex;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

/// A step that is run in several calls.
struct PartialRun {
    compiled: Arc<CompiledStep>,
    step_id: i64,
    state: Mutex<Progress>,
}

struct Progress {
    fed: BTreeSet<String>,
    unfed: BTreeSet<String>,
    unfetched: BTreeSet<String>,
}

/// The partial runs of a session, by handle.
#[derive(Default)]
pub(super) struct PartialRuns {
    runs: Mutex<HashMap<String, Arc<PartialRun>>>,
    next: std::sync::atomic::AtomicU64,
}

impl PartialRuns {
    /// Ends all of them.
    pub fn end_all(&self, session: &MasterSession) {
        let runs: Vec<Arc<PartialRun>> = self.runs.lock().drain().map(|(_, run)| run).collect();
        runs.iter().for_each(|run| clean_up(session, &run.compiled, run.step_id));
    }
}

impl MasterSession {
    /// Prepares a step that is run in several calls; returns its handle.
    pub(crate) fn partial_run_setup(self: &Arc<Self>, signature: Signature, done: Done<String>) {
        if self.running.is_closed() {
            return done(Err(failed_precondition("Session is closed.")));
        }
        let slot = self.steps.slot(&signature, FeedFetch::Rendezvous);
        let (session, names) = (self.clone(), slot.signature.clone());
        slot.get(
            self,
            Box::new(move |compiled| {
                done(compiled.map(|compiled| {
                    let progress = Progress {
                        fed: BTreeSet::new(),
                        unfed: names.feeds.into_iter().collect(),
                        unfetched: names.fetches.into_iter().collect(),
                    };
                    let run = PartialRun { compiled, step_id: super::new_step_id(), state: Mutex::new(progress) };
                    let handle = session.partial_runs.next.fetch_add(1, std::sync::atomic::Ordering::Relaxed).to_string();
                    session.partial_runs.runs.lock().insert(handle.clone(), Arc::new(run));
                    handle
                }));
            }),
        );
    }

    /// Feeds and fetches a part of a partial run.
    pub(super) fn continue_partial_run(self: &Arc<Self>, request: RunRequest, options: CallOptions, done: Done<RunResponse>) {
        let handle = request.partial_run_handle.clone();
        let Some(run) = self.partial_runs.runs.lock().get(&handle).cloned() else {
            return done(Err(invalid_argument("Must run PartialRunSetup before performing partial runs")));
        };
        let is_last = match self.advance(&run, &request) {
            Ok(is_last) => is_last,
            Err(e) => return done(Err(e)),
        };
        let keys: Vec<Arc<str>> = request.fetches.iter().map(|f| self.client_key(f)).collect();
        let plan = StepPlan {
            compiled: run.compiled.clone(),
            step_id: run.step_id,
            args: Vec::new(),
            sends: request.feeds.into_iter().map(|(name, tensor)| (self.client_key(&name), tensor)).collect(),
            recv_keys: keys.clone(),
            partial: Some(is_last),
            options: request.options,
        };
        let session = self.clone();
        let ended = Box::new(move |result: Result<Outcome>| {
            if is_last || result.is_err() {
                session.partial_runs.runs.lock().remove(&handle);
            }
            done(result.and_then(|outcome| {
                let find = |key: &Arc<str>| -> Result<Tensor> {
                    let found = outcome.recvs.iter().find(|(k, _)| k == key);
                    found.map(|(_, t)| t.clone()).ok_or_else(|| internal(format!("the worker did not return {key}")))
                };
                Ok(RunResponse { fetches: keys.iter().map(find).collect::<Result<_>>()?, metadata: outcome.metadata })
            }));
        });
        StepRun::start(self, plan, options, ended);
    }

    /// Checks a call against what is still open and notes it; whether nothing is open afterwards.
    fn advance(&self, run: &PartialRun, request: &RunRequest) -> Result<bool> {
        let feeds: Vec<String> = request.feeds.iter().map(|(name, _)| normalized_tensor_name(name)).collect();
        let fetches: Vec<String> = request.fetches.iter().map(|name| normalized_tensor_name(name)).collect();
        if !request.targets.is_empty() {
            return Err(invalid_argument("Targets are run by PartialRunSetup, not by the calls that follow it."));
        }
        let mut state = run.state.lock();
        for feed in &feeds {
            if state.fed.contains(feed) {
                return Err(invalid_argument(format!("The feed {feed} had already been fed.")));
            }
            if !state.unfed.contains(feed) {
                return Err(invalid_argument(format!("The feed {feed} was not specified in partial_run_setup.")));
            }
        }
        if let Some(bad) = fetches.iter().find(|f| !state.unfetched.contains(*f)) {
            return Err(invalid_argument(format!("The fetch {bad} had already been fetched or was not specified in partial_run_setup.")));
        }
        let fed: Vec<String> = state.fed.iter().chain(&feeds).cloned().collect();
        let unfed: Vec<String> = state.unfed.iter().filter(|f| !feeds.contains(f)).cloned().collect();
        let placed = self.graph.lock().placed().clone();
        check_computable(&placed, &fetches, &fed, &unfed)?;
        state.fed = fed.into_iter().collect();
        state.unfed = unfed.into_iter().collect();
        state.unfetched.retain(|f| !fetches.contains(f));
        Ok(state.unfed.is_empty() && state.unfetched.is_empty())
    }

    /// The key under which a client's tensor is exchanged.
    pub(super) fn client_key(&self, tensor: &str) -> Arc<str> {
        let (name, incarnation) = (&self.client_device.name, self.client_device.incarnation);
        RendezvousKey::text(name, incarnation, name, &normalized_tensor_name(tensor), 0, 0).into()
    }
}
