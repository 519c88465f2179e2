//! RunGraph: one step of a registered graph (TF: `Worker::DoRunGraph`).

use super::Worker;
use crate::call::{CallOptions, Done, cancel_with};
use crate::cost_graph::CostGraph;
use crate::graph_mgr::{GraphStep, RegisteredGraph};
use crate::step_rendezvous::StepRendezvous;
use crate::worker_interface::{PartitionGraph, RunGraphRequest, RunGraphResponse};
use crate::worker_session::WorkerSession;
use ferroflow_graph::kernel::{CancellationManager, Received, Rendezvous, Value};
use ferroflow_runtime::{NodeStats, RunDone, StepStatsCollector};
use ferroflow_tensor::error::{internal, invalid_argument};
use ferroflow_tensor::{Code, Error, Result, Tensor};
use parking_lot::Mutex;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// A step of a graph of this task's own master, which passes values by index instead of by key.
pub(crate) struct LocalRun<'a> {
    pub session: &'a Arc<WorkerSession>,
    pub graph: &'a Arc<RegisteredGraph>,
    pub step_id: i64,
    /// Whether other tasks take part.
    pub is_distributed: bool,
    pub args: Vec<Value>,
    pub record_timeline: bool,
    pub record_costs: bool,
}

/// What a local run returns.
#[derive(Default)]
pub(crate) struct LocalOutcome {
    /// Results by index.
    pub results: Vec<Option<Value>>,
    /// When each node ran, if that was asked for.
    pub stats: Vec<NodeStats>,
    /// What the nodes cost, if that was asked for.
    pub costs: CostGraph,
}

/// Called with what a local run returns.
pub(crate) type LocalDone = Done<LocalOutcome>;

impl Worker {
    /// Runs a graph on the calling thread as far as it can.
    pub(crate) fn run_local(&self, run: LocalRun, cancellation: &Arc<CancellationManager>, done: LocalDone) {
        let env = self.env();
        let recorder = Recorder::new(run.record_timeline, run.record_costs, run.graph);
        let collector = recorder.collector.clone();
        let step = |rendezvous: Arc<StepRendezvous>, cancellation: Arc<CancellationManager>| GraphStep {
            step_id: run.step_id,
            session: run.session.handle().clone(),
            rendezvous,
            cancellation,
            args: run.args,
            collector: collector.clone(),
        };
        if !run.is_distributed && !run.graph.spans_devices() {
            // Nobody else can meet here, and nobody waits here.
            let rendezvous = Arc::new(StepRendezvous::new(run.step_id));
            let step = step(rendezvous, cancellation.clone());
            return run.graph.run(env, step, Box::new(move |result| done(result.map(|results| recorder.outcome(results)))));
        }
        let rendezvous = match self.begin(run.session, run.step_id, run.record_timeline) {
            Ok(rendezvous) => rendezvous,
            Err(e) => return done(Err(e)),
        };
        let own = Arc::new(CancellationManager::new());
        let link = match cancel_with(Some(cancellation), &own, aborting(&rendezvous)) {
            Ok(link) => link,
            Err(reason) => return done(Err(reason)),
        };
        let transfers = rendezvous.clone();
        let ended: RunDone = Box::new(move |result| {
            drop(link);
            done(result.map(|results| {
                let mut outcome = recorder.outcome(results);
                outcome.stats.extend(transfers.take_transfers());
                outcome
            }));
        });
        run.graph.run(env, step(rendezvous, own), ended);
    }

    /// The meeting place of a step that starts now.
    pub(super) fn begin(&self, session: &Arc<WorkerSession>, step_id: i64, record: bool) -> Result<Arc<StepRendezvous>> {
        let rendezvous = self.rendezvous_mgr().find_or_create(step_id)?;
        rendezvous.start(session);
        if record || self.logs_transfers.load(Ordering::Relaxed) {
            rendezvous.record_transfers();
        }
        Ok(rendezvous)
    }

    /// The graph that a request is about.
    pub(super) fn resolve(&self, request: &RunGraphRequest) -> Result<(Arc<WorkerSession>, Arc<RegisteredGraph>)> {
        let session = self.sessions().find(&request.session_handle, request.create_worker_session_called)?;
        let graph = session.graphs().find(&request.graph_handle)?;
        Ok((session, graph))
    }

    pub(super) fn run_whole(self: &Arc<Self>, options: CallOptions, request: RunGraphRequest, done: Done<RunGraphResponse>) {
        let prepared = self.resolve(&request).and_then(|(session, graph)| {
            let rendezvous = self.begin(&session, request.step_id, request.record_timeline)?;
            send_all(&rendezvous, &request.sends)?;
            Ok((session, graph, rendezvous))
        });
        let (session, graph, rendezvous) = match prepared {
            Ok(prepared) => prepared,
            Err(e) => {
                // Others may wait for what this step will not produce.
                self.fail_step(request.step_id, &e);
                return done(Err(e));
            }
        };
        let cancellation = Arc::new(CancellationManager::new());
        let link = match cancel_with(options.cancellation.as_ref(), &cancellation, aborting(&rendezvous)) {
            Ok(link) => link,
            Err(reason) => {
                rendezvous.abort(reason.clone());
                return done(Err(reason));
            }
        };
        let recorder = Recorder::new(request.record_timeline, request.record_costs, &graph);
        let step = GraphStep {
            step_id: request.step_id,
            session: session.handle().clone(),
            rendezvous: rendezvous.clone(),
            cancellation,
            args: Vec::new(),
            collector: recorder.collector.clone(),
        };
        let (this, env) = (self.clone(), self.env().clone());
        let graphs = if request.record_partition_graphs { graph.pieces() } else { Vec::new() };
        let ended: RunDone = Box::new(move |result| {
            drop(link);
            match result {
                Err(e) => {
                    if e.code() == Code::Cancelled && !e.is_derived() {
                        tracing::info!(step_id = request.step_id, "a step was given up while it waited: {e}");
                    }
                    rendezvous.abort(e.clone());
                    done(Err(e));
                }
                Ok(_) => this.respond(&rendezvous, request, recorder.outcome(Vec::new()), graphs, done),
            }
        });
        graph.run(&env, step, ended);
    }

    /// Collects the values that the caller wants, and answers.
    pub(super) fn respond(
        &self,
        rendezvous: &Arc<StepRendezvous>,
        request: RunGraphRequest,
        recorded: LocalOutcome,
        partition_graphs: Vec<PartitionGraph>,
        done: Done<RunGraphResponse>,
    ) {
        let LocalOutcome { mut stats, costs, .. } = recorded;
        let transfers = rendezvous.take_transfers();
        if self.logs_transfers.load(Ordering::Relaxed) {
            self.log_transfers(request.step_id, transfers.clone());
        }
        if request.record_timeline {
            stats.extend(transfers);
        }
        let finish: KeyedDone = Box::new(move |recvs| done(recvs.map(|recvs| RunGraphResponse { recvs, stats, costs, partition_graphs })));
        recv_all(rendezvous, request.step_id, request.recv_keys, finish);
    }

    /// Fails those who wait for tensors of a step that cannot run here.
    pub(super) fn fail_step(&self, step_id: i64, error: &Error) {
        if let Ok(rendezvous) = self.rendezvous_mgr().find_or_create(step_id) {
            rendezvous.abort(error.clone());
        }
    }
}

/// What is recorded of a run.
struct Recorder {
    collector: Option<Arc<StepStatsCollector>>,
    timeline: bool,
    /// The graph whose costs are wanted.
    costs: Option<Arc<RegisteredGraph>>,
}

impl Recorder {
    fn new(timeline: bool, costs: bool, graph: &Arc<RegisteredGraph>) -> Recorder {
        let collector = (timeline || costs).then(|| Arc::new(StepStatsCollector::new()));
        Recorder { collector, timeline, costs: costs.then(|| graph.clone()) }
    }

    /// What a run that is over returns.
    fn outcome(self, results: Vec<Option<Value>>) -> LocalOutcome {
        let stats = self.collector.map(|c| c.take()).unwrap_or_default();
        let costs = self.costs.map(|graph| graph.costs(&stats)).unwrap_or_default();
        LocalOutcome { results, stats: if self.timeline { stats } else { Vec::new() }, costs }
    }
}

/// What cancelling a step does beside cancelling its kernels: it ends the waits for tensors.
pub(super) fn aborting(rendezvous: &Arc<StepRendezvous>) -> impl FnOnce(&Error) + Send + 'static {
    let rendezvous = rendezvous.clone();
    move |reason| rendezvous.abort(reason.clone())
}

/// Hands the caller's values to the graph's client-terminated receives.
pub(super) fn send_all(rendezvous: &StepRendezvous, sends: &[(Arc<str>, Tensor)]) -> Result<()> {
    for (key, tensor) in sends {
        ferroflow_graph::kernel::RendezvousKey::parse(key)?;
        rendezvous.local().send_to(key, Received { tensor: tensor.clone(), is_dead: false })?;
    }
    Ok(())
}

/// Called with tensors by rendezvous key.
pub(super) type KeyedDone = Done<Vec<(Arc<str>, Tensor)>>;

/// Takes the values of the graph's client-terminated sends.
pub(super) fn recv_all(rendezvous: &StepRendezvous, step_id: i64, keys: Vec<Arc<str>>, done: KeyedDone) {
    struct Gather {
        left: usize,
        values: Vec<Option<Tensor>>,
        keys: Vec<Arc<str>>,
        done: Option<KeyedDone>,
    }
    if keys.is_empty() {
        return done(Ok(Vec::new()));
    }
    let wanted = keys.clone();
    let gather = Arc::new(Mutex::new(Gather { left: keys.len(), values: keys.iter().map(|_| None).collect(), keys, done: Some(done) }));
    for (i, key) in wanted.iter().enumerate() {
        let gather = gather.clone();
        let label = key.clone();
        let received = move |result: Result<Received>| {
            let result = result.and_then(|r| if r.is_dead { Err(not_valid(step_id, &label)) } else { Ok(r.tensor) });
            let mut state = gather.lock();
            state.left -= 1;
            let outcome = match result {
                Err(e) => Err(e),
                Ok(tensor) => {
                    state.values[i] = Some(tensor);
                    if state.left > 0 {
                        return;
                    }
                    let values = std::mem::take(&mut state.values);
                    let pairs = std::mem::take(&mut state.keys).into_iter().zip(values);
                    pairs.map(|(k, v)| Ok((k, v.ok_or_else(|| internal("a fetched value is missing"))?))).collect()
                }
            };
            let done = state.done.take();
            drop(state);
            if let Some(done) = done {
                done(outcome);
            }
        };
        if ferroflow_graph::kernel::RendezvousKey::parse(key).is_err() {
            received(Err(invalid_argument(format!("Invalid  rendezvous key: {key}"))));
            continue;
        }
        rendezvous.local().recv(key, Box::new(received));
    }
}

/// The error for a fetch on the side of a conditional that was not taken.
pub(crate) fn not_valid(step_id: i64, what: &str) -> Error {
    internal(format!("Failed to fetch outputs for step {step_id}. (Original error message: The tensor returned for {what} was not valid.)"))
}
