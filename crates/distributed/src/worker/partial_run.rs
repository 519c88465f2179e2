//! RunGraph in several calls: the first starts the graph, each brings some values and takes some, the last waits for the end (TF:
//! `Worker::DoPartialRunGraph`, `PartialRunMgr`).

use super::Worker;
use super::run_graph::{aborting, recv_all, send_all};
use crate::call::{CallOptions, Done, cancel_with};
use crate::graph_mgr::GraphStep;
use crate::step_rendezvous::StepRendezvous;
use crate::worker_interface::{RunGraphRequest, RunGraphResponse};
use ferroflow_graph::kernel::{CancellationManager, Rendezvous};
use ferroflow_tensor::Result;
use ferroflow_tensor::error::aborted;
use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::Arc;

/// The end of a graph that runs over several calls.
#[derive(Default)]
struct End {
    state: Mutex<EndState>,
}

#[derive(Default)]
struct EndState {
    result: Option<Result<()>>,
    waiter: Option<Done<()>>,
}

impl End {
    fn reach(&self, result: Result<()>) {
        let mut state = self.state.lock();
        state.result = Some(result.clone());
        let waiter = state.waiter.take();
        drop(state);
        if let Some(waiter) = waiter {
            waiter(result);
        }
    }

    fn wait(&self, done: Done<()>) {
        let mut state = self.state.lock();
        match state.result.clone() {
            Some(result) => {
                drop(state);
                done(result);
            }
            None => state.waiter = Some(done),
        }
    }
}

#[derive(Clone)]
struct PartialRun {
    end: Arc<End>,
    cancellation: Arc<CancellationManager>,
    rendezvous: Arc<StepRendezvous>,
}

/// The graphs that run over several calls, by step.
#[derive(Default)]
pub(super) struct PartialRuns {
    runs: Mutex<HashMap<i64, PartialRun>>,
}

impl PartialRuns {
    /// Ends a run that has no further calls.
    pub fn forget(&self, step_id: i64) {
        let run = self.runs.lock().remove(&step_id);
        if let Some(run) = run {
            run.cancellation.cancel(aborted(format!("Cleanup {step_id}")).derived());
        }
    }
}

impl Worker {
    pub(super) fn run_partially(self: &Arc<Self>, options: CallOptions, request: RunGraphRequest, done: Done<RunGraphResponse>) {
        let run = match self.partial_run(&request).and_then(|run| send_all(&run.rendezvous, &request.sends).map(|()| run)) {
            Ok(run) => run,
            Err(e) => {
                self.fail_step(request.step_id, &e);
                return done(Err(e));
            }
        };
        let link = match cancel_with(options.cancellation.as_ref(), &run.cancellation, aborting(&run.rendezvous)) {
            Ok(link) => link,
            Err(reason) => {
                run.cancellation.cancel(reason.clone());
                run.rendezvous.abort(reason.clone());
                return done(Err(reason));
            }
        };
        let (this, step_id, is_last) = (self.clone(), request.step_id, request.is_last_partial_run);
        let end = run.end.clone();
        let received: Done<Vec<_>> = Box::new(move |recvs| {
            drop(link);
            match recvs {
                // What failed the graph says more than that its values did not come.
                Err(e) if e.is_derived() => end.wait(Box::new(move |ended| done(Err(ended.err().unwrap_or(e))))),
                Err(e) => done(Err(e)),
                Ok(recvs) if !is_last => done(Ok(RunGraphResponse { recvs, ..Default::default() })),
                Ok(recvs) => end.wait(Box::new(move |ended| {
                    this.partial_runs.runs.lock().remove(&step_id);
                    done(ended.map(|()| RunGraphResponse { recvs, ..Default::default() }));
                })),
            }
        });
        recv_all(&run.rendezvous, step_id, request.recv_keys, received);
    }

    /// The run of a step, started if this is the first call.
    fn partial_run(self: &Arc<Self>, request: &RunGraphRequest) -> Result<PartialRun> {
        if let Some(run) = self.partial_runs.runs.lock().get(&request.step_id) {
            return Ok(run.clone());
        }
        let (session, graph) = self.resolve(request)?;
        let rendezvous = self.begin(&session, request.step_id, false)?;
        let run = PartialRun { end: Arc::default(), cancellation: Arc::default(), rendezvous: rendezvous.clone() };
        self.partial_runs.runs.lock().insert(request.step_id, run.clone());
        let step = GraphStep {
            step_id: request.step_id,
            session: session.handle().clone(),
            rendezvous: rendezvous.clone(),
            cancellation: run.cancellation.clone(),
            args: Vec::new(),
            collector: None,
        };
        let end = run.end.clone();
        let ended = Box::new(move |result: Result<Vec<_>>| {
            if let Err(e) = &result {
                rendezvous.abort(e.clone());
            }
            end.reach(result.map(drop));
        });
        graph.run(self.env(), step, ended);
        Ok(run)
    }
}
