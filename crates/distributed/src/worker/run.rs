//! Running a registered graph (TF: `Worker::DoRunGraph`, `GraphMgr::ExecuteAsync`).

use super::graph_mgr::RegisteredGraph;
use super::session::WorkerSession;
use super::{Worker, stats};
use crate::interface::{CallOptions, Callback, RunGraphRequest, RunGraphResponse};
use crate::rendezvous_mgr::StepRendezvous;
use ferroflow_graph::kernel::{CancellationManager, CancellationToken, Received, Rendezvous, ResourceManager, StepContext, Value};
use ferroflow_runtime::{LocalRendezvous, StepStatsCollector};
use ferroflow_tensor::error::{cancelled, internal, invalid_argument};
use ferroflow_tensor::{Error, Result, Tensor};
use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Partial runs under way: the first call starts the executors, later ones only bring feeds and fetch results.
#[derive(Default)]
pub(super) struct PartialRuns(Mutex<HashMap<(String, i64), Arc<PartialRun>>>);

/// The executors' outcome, and who waits for it.
#[derive(Default)]
struct PartialRun {
    state: Mutex<(Option<Result<()>>, Option<Box<dyn FnOnce(Result<()>) + Send>>)>,
}

impl PartialRun {
    fn finish(&self, outcome: Result<()>) {
        let waiting = {
            let mut state = self.state.lock();
            state.0 = Some(outcome.clone());
            state.1.take()
        };
        if let Some(waiting) = waiting {
            waiting(outcome);
        }
    }

    fn when_finished(&self, done: Box<dyn FnOnce(Result<()>) + Send>) {
        let mut state = self.state.lock();
        match &state.0 {
            Some(outcome) => {
                let outcome = outcome.clone();
                drop(state);
                done(outcome);
            }
            None => state.1 = Some(done),
        }
    }
}

/// One step of a graph on this task; shared by its executors' callbacks.
struct Step {
    step_id: i64,
    rendezvous: Arc<StepRendezvous>,
    local: Arc<LocalRendezvous>,
    cancellation: Arc<CancellationManager>,
    collector: Option<Arc<StepStatsCollector>>,
    graph: Arc<RegisteredGraph>,
}

impl Worker {
    /// Runs a graph; see [`crate::interface::WorkerInterface::run_graph`]. Works on the calling thread as far as it can.
    pub fn run_graph(self: &Arc<Self>, request: RunGraphRequest, options: CallOptions, done: Callback<RunGraphResponse>) {
        let what = if request.is_partial { "PartialRunGraph (Worker)" } else { "RunGraph (Worker)" };
        let found = self.request_ids.track(request.request_id, what).and_then(|()| {
            let session = self.session(&request.session_handle, request.create_worker_session_called)?;
            let graph = session.graph(&request.graph_handle)?;
            Ok((session, graph))
        });
        match found {
            Err(e) => done(Err(e)),
            Ok((session, graph)) if request.is_partial => self.run_part(session, graph, request, options, done),
            Ok((session, graph)) => self.run_whole(session, graph, request, options, done),
        }
    }

    fn run_whole(
        self: &Arc<Self>,
        session: Arc<WorkerSession>,
        graph: Arc<RegisteredGraph>,
        request: RunGraphRequest,
        options: CallOptions,
        done: Callback<RunGraphResponse>,
    ) {
        let step = Arc::new(self.step(session.clone(), graph, &request));
        if let Err(e) = step.deliver(&request.send) {
            return done(Err(e));
        }
        let token = match step.cancel_with(&options.cancellation) {
            Ok(token) => token,
            Err(e) => return done(Err(e)),
        };
        let (record, finished) = (request.options, step.clone());
        step.start(
            session,
            request.args,
            Box::new(move |outcome| {
                options.cancellation.deregister(token);
                let results = match outcome {
                    Ok(results) => results,
                    Err(e) => return done(Err(e)),
                };
                let partition_graphs = match record.record_partition_graphs {
                    true => finished.graph.parts.iter().map(|p| p.graph.clone()).collect(),
                    false => vec![],
                };
                let step_stats = finished.collector.as_ref().map(|c| stats::step_stats(&c.take()));
                // All is computed, so what the keys name is there, or dead, or was never sent.
                match finished.collect(&request.recv_keys) {
                    Ok(recv) => done(Ok(RunGraphResponse { recv, results, step_stats, partition_graphs })),
                    Err(e) => done(Err(e)),
                }
            }),
        );
    }

    /// One call of a partial run.
    fn run_part(
        self: &Arc<Self>,
        session: Arc<WorkerSession>,
        graph: Arc<RegisteredGraph>,
        request: RunGraphRequest,
        options: CallOptions,
        done: Callback<RunGraphResponse>,
    ) {
        let key = (request.graph_handle.clone(), request.step_id);
        let mut runs = self.partial_runs.0.lock();
        let known = runs.get(&key).cloned();
        let run = runs.entry(key.clone()).or_default().clone();
        drop(runs);
        let step = Arc::new(self.step(session.clone(), graph, &request));
        if known.is_none() {
            let run = run.clone();
            step.start(session, request.args, Box::new(move |outcome| run.finish(outcome.map(|_| ()))));
        }
        if let Err(e) = step.deliver(&request.send) {
            return done(Err(e));
        }
        let token = match step.cancel_with(&options.cancellation) {
            Ok(token) => token,
            Err(e) => return done(Err(e)),
        };
        let worker = self.clone();
        let is_last = request.is_last_partial_run;
        step.collect_async(
            request.recv_keys,
            Box::new(move |recv| {
                let answer = move |recv: Result<Vec<(String, Tensor)>>| {
                    options.cancellation.deregister(token);
                    done(recv.map(|recv| RunGraphResponse { recv, ..RunGraphResponse::default() }));
                };
                if !is_last && recv.is_ok() {
                    return answer(recv);
                }
                worker.partial_runs.0.lock().remove(&key);
                match recv {
                    Err(e) => answer(Err(e)),
                    Ok(recv) => run.when_finished(Box::new(move |outcome| answer(outcome.map(|()| recv)))),
                }
            }),
        );
    }

    fn step(&self, session: Arc<WorkerSession>, graph: Arc<RegisteredGraph>, request: &RunGraphRequest) -> Step {
        let local = self.rendezvous.find_or_create(request.step_id);
        let record = request.options.record_timeline || request.options.record_costs;
        Step {
            step_id: request.step_id,
            rendezvous: Arc::new(StepRendezvous::new(request.step_id, session, local.clone())),
            local,
            cancellation: Arc::new(CancellationManager::new()),
            collector: record.then(|| Arc::new(StepStatsCollector::new())),
            graph,
        }
    }
}

type Finished = Box<dyn FnOnce(Result<Vec<Option<Tensor>>>) + Send>;

impl Step {
    /// Puts tensors that came with the request where the graph's receives look for them.
    fn deliver(&self, tensors: &[(String, Tensor)]) -> Result<()> {
        tensors.iter().try_for_each(|(key, t)| self.local.send_to(key, Received { tensor: t.clone(), is_dead: false }))
    }

    /// Ends the step when the call is cancelled.
    fn cancel_with(self: &Arc<Self>, call: &CancellationManager) -> Result<CancellationToken> {
        let step = self.clone();
        call.register(move |reason| step.fail(reason.clone()))
    }

    fn fail(&self, error: Error) {
        self.rendezvous.abort(error.clone());
        self.cancellation.cancel(error);
    }

    /// Starts all executors; `finished` gets the results of `_Retval`s by index, after the last of them has ended.
    fn start(self: &Arc<Self>, session: Arc<WorkerSession>, args: Vec<Tensor>, finished: Finished) {
        let parts = &self.graph.parts;
        if parts.is_empty() {
            return finished(Ok(vec![]));
        }
        let join = Arc::new(Join {
            left: AtomicUsize::new(parts.len()),
            outcome: Mutex::new(Ok(vec![])),
            finished: Mutex::new(Some(finished)),
        });
        let args: Vec<Value> = args.into_iter().map(Value::Tensor).collect();
        let last = parts.len() - 1;
        let mut args = Some(args);
        for (i, part) in parts.iter().enumerate() {
            let context = Arc::new(StepContext {
                step_id: self.step_id,
                session: session.shared_handle().clone(),
                device: part.device.info.clone(),
                resources: part.device.resources.clone(),
                step_resources: Arc::new(ResourceManager::new(part.device.resources.default_container())),
                rendezvous: self.rendezvous.clone(),
                cancellation: self.cancellation.clone(),
                pool: part.pool.clone(),
                functions: part.functions.clone(),
            });
            let args = if i == last { args.take() } else { args.clone() }.unwrap_or_default();
            let (step, join) = (self.clone(), join.clone());
            let done = Box::new(move |outcome: Result<Vec<Option<Value>>>| {
                if let Err(e) = &outcome {
                    step.fail(e.clone());
                }
                join.add(outcome);
            });
            part.executor.run_async(context, args, self.collector.clone(), done);
        }
    }

    /// What has been sent under these keys.
    ///
    /// Errors: `InvalidArgument` for a dead tensor, `Internal` for a key that nothing was sent under.
    fn collect(&self, keys: &[String]) -> Result<Vec<(String, Tensor)>> {
        let mut found = Vec::with_capacity(keys.len());
        for key in keys {
            let place: Arc<Mutex<Option<Result<Received>>>> = Arc::default();
            let answer = place.clone();
            let waiting = self.local.recv(&Arc::from(key.as_str()), Box::new(move |r| *answer.lock() = Some(r)));
            if let Some(waiting) = waiting {
                self.local.forget(&waiting);
                return Err(internal(format!("the step ended, and nothing was sent under the key {key}")));
            }
            let received = place.lock().take();
            found.push((key.clone(), live(key, received.ok_or_else(|| internal("a receive gave no answer"))??)?));
        }
        Ok(found)
    }

    /// As [`Step::collect`], waiting for each.
    fn collect_async(self: &Arc<Self>, keys: Vec<String>, done: Box<dyn FnOnce(Result<Vec<(String, Tensor)>>) + Send>) {
        self.clone().collect_next(keys.into_iter(), vec![], done);
    }

    fn collect_next(
        self: Arc<Self>,
        mut keys: std::vec::IntoIter<String>,
        mut found: Vec<(String, Tensor)>,
        done: Box<dyn FnOnce(Result<Vec<(String, Tensor)>>) + Send>,
    ) {
        let Some(key) = keys.next() else { return done(Ok(found)) };
        let local = self.local.clone();
        local.recv(
            &Arc::from(key.as_str()),
            Box::new(move |received| match received.and_then(|r| live(&key, r)) {
                Err(e) => done(Err(e)),
                Ok(tensor) => {
                    found.push((key, tensor));
                    self.collect_next(keys, found, done);
                }
            }),
        );
    }
}

fn live(key: &str, received: Received) -> Result<Tensor> {
    if received.is_dead {
        return Err(invalid_argument(format!("The tensor returned for {key} was not valid.")));
    }
    Ok(received.tensor)
}

/// Waits for all executors of a step.
struct Join {
    left: AtomicUsize,
    outcome: Mutex<Result<Vec<Option<Tensor>>>>,
    finished: Mutex<Option<Finished>>,
}

impl Join {
    fn add(&self, outcome: Result<Vec<Option<Value>>>) {
        {
            let mut all = self.outcome.lock();
            match (&mut *all, outcome.and_then(to_tensors)) {
                // The first error that is no consequence of another is the step's.
                (Err(first), Err(e)) if first.is_derived() && !e.is_derived() => *first = e,
                (Err(_), _) => {}
                (all @ Ok(_), Err(e)) => *all = Err(e),
                (Ok(all), Ok(results)) => merge(all, results),
            }
        }
        if self.left.fetch_sub(1, Ordering::AcqRel) == 1 {
            let outcome = std::mem::replace(&mut *self.outcome.lock(), Err(cancelled("taken")));
            let finished = self.finished.lock().take();
            if let Some(finished) = finished {
                finished(outcome);
            }
        }
    }
}

fn to_tensors(values: Vec<Option<Value>>) -> Result<Vec<Option<Tensor>>> {
    values.into_iter().map(|v| v.map(|v| v.to_tensor()).transpose()).collect()
}

/// Each `_Retval` is on one device; the others have nothing at its index.
fn merge(all: &mut Vec<Option<Tensor>>, results: Vec<Option<Tensor>>) {
    if all.len() < results.len() {
        all.resize(results.len(), None);
    }
    for (place, result) in all.iter_mut().zip(results) {
        if result.is_some() {
            *place = result;
        }
    }
}
