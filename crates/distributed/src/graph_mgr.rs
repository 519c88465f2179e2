//! `GraphMgr`: the graphs that a session has registered on a task, ready to run (TF: `GraphMgr`).
//!
//! A registered graph is cut once more, into one piece per device, and each piece has an executor.

use crate::cost_graph::{CostGraph, CostModel};
use crate::env::WorkerEnv;
use crate::worker_interface::PartitionGraph;
use crate::worker_session::WorkerSession;
use ferroflow_graph::NodeGraph;
use ferroflow_graph::kernel::{CancellationManager, FunctionRuntime, Rendezvous, ResourceManager, StepContext, Value};
use ferroflow_runtime::partition::{PartitionOptions, partition};
use ferroflow_runtime::{Device, Executor, ExecutorParams, FunctionLibraryRuntime, NodeStats, RunDone, StepStatsCollector};
use ferroflow_tensor::error::{aborted, internal, invalid_argument};
use ferroflow_tensor::{Error, Result};
use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The graphs of a session on this task, by handle.
#[derive(Default)]
pub struct GraphMgr {
    graphs: Mutex<HashMap<Arc<str>, Arc<RegisteredGraph>>>,
    handles: AtomicU64,
    /// For the names of transfers between devices, unique in the session.
    names: AtomicU64,
}

/// The piece of a graph that runs on one device.
struct Unit {
    device: Arc<Device>,
    executor: Arc<Executor>,
    graph: Arc<NodeGraph>,
    functions: Option<Arc<dyn FunctionRuntime>>,
    costs: CostModel,
}

/// A graph that is ready to run.
pub struct RegisteredGraph {
    handle: Arc<str>,
    units: Vec<Unit>,
}

impl GraphMgr {
    /// Makes a graph ready to run.
    ///
    /// Errors: `InvalidArgument` for a node without device or with one that is not this task's; what making its kernels returns.
    pub(crate) fn register(&self, env: &WorkerEnv, session: &WorkerSession, graph: &NodeGraph) -> Result<Arc<RegisteredGraph>> {
        let incarnation = |name: &str| find_device(session, name).map(|(d, _)| d.info.incarnation);
        for node in graph.nodes() {
            if node.assigned_device.is_empty() {
                return Err(invalid_argument(format!("Node '{}' is missing a device specification", node.info.name)));
            }
            find_device(session, &node.assigned_device)?;
        }
        let pieces = partition(
            graph,
            PartitionOptions {
                part_of: &|device| Ok(device.into()),
                incarnation: &incarnation,
                new_name: &mut |name| format!("{name}_G{}", self.names.fetch_add(1, Ordering::Relaxed)),
                registry: &env.registry,
            },
        )?;
        let units = pieces.into_iter().map(|(device, piece)| unit(env, session, &device, piece)).collect::<Result<Vec<_>>>()?;
        let handle: Arc<str> = format!("{:016x}", self.handles.fetch_add(1, Ordering::Relaxed) + 1).into();
        let registered = Arc::new(RegisteredGraph { handle: handle.clone(), units });
        self.graphs.lock().insert(handle, registered.clone());
        Ok(registered)
    }

    /// A registered graph.
    ///
    /// Errors: `Aborted` `Graph handle is not found: …`, on which clients make a new session.
    pub fn find(&self, handle: &str) -> Result<Arc<RegisteredGraph>> {
        self.graphs.lock().get(handle).cloned().ok_or_else(|| aborted(format!("Graph handle is not found: {handle}")))
    }

    /// Forgets a graph; steps that run it go on.
    ///
    /// Errors: `Aborted` for an unknown handle.
    pub fn deregister(&self, handle: &str) -> Result<()> {
        match self.graphs.lock().remove(handle) {
            Some(_) => Ok(()),
            None => Err(aborted(format!("Graph handle is not found: {handle}. Possibly, this worker just restarted."))),
        }
    }
}

fn find_device<'a>(session: &'a WorkerSession, name: &str) -> Result<&'a (Arc<Device>, Arc<ferroflow_runtime::KernelCache>)> {
    session.devices().iter().find(|(d, _)| *d.info.name == *name).ok_or_else(|| invalid_argument(format!("{name} unknown device.")))
}

fn unit(env: &WorkerEnv, session: &WorkerSession, device: &str, graph: NodeGraph) -> Result<Unit> {
    let (device, kernels) = find_device(session, device)?;
    let mut params = ExecutorParams {
        device: device.clone(),
        pool: env.pool.clone(),
        kernels: kernels.clone(),
        functions: None,
        registry: env.registry.clone(),
    };
    if !graph.library.is_empty() {
        params.functions = Some(FunctionLibraryRuntime::new(graph.library.clone(), &params));
    }
    let executor = Executor::new(&graph, &params)?;
    Ok(Unit { device: device.clone(), executor, graph: Arc::new(graph), functions: params.functions, costs: CostModel::default() })
}

/// One run of a registered graph.
pub(crate) struct GraphStep {
    pub step_id: i64,
    pub session: Arc<str>,
    pub rendezvous: Arc<dyn Rendezvous>,
    pub cancellation: Arc<CancellationManager>,
    /// Values of `_Arg` nodes, by index.
    pub args: Vec<Value>,
    pub collector: Option<Arc<StepStatsCollector>>,
}

impl RegisteredGraph {
    /// Its handle.
    pub fn handle(&self) -> &Arc<str> {
        &self.handle
    }

    /// The graphs that run, one per device.
    pub fn pieces(&self) -> Vec<PartitionGraph> {
        self.units.iter().map(|u| PartitionGraph::Nodes(u.graph.clone())).collect()
    }

    /// What its nodes cost so far, a run that is over included.
    pub(crate) fn costs(&self, stats: &[NodeStats]) -> CostGraph {
        let mut costs = CostGraph::default();
        for unit in &self.units {
            unit.costs.add(stats.iter().filter(|s| *s.device == *unit.device.info.name));
            costs.nodes.extend(unit.costs.describe(&unit.graph));
        }
        costs
    }

    /// Whether it lies on several devices of the task, so that its pieces exchange tensors.
    pub(crate) fn spans_devices(&self) -> bool {
        self.units.len() > 1
    }

    /// Runs all pieces; `done` gets the values of `_Retval` nodes by index when all have ended, or the error that explains most.
    pub(crate) fn run(&self, env: &WorkerEnv, step: GraphStep, done: RunDone) {
        if let [only] = &self.units[..] {
            let context = only.context(env, &step);
            return only.executor.run_async(context, step.args, step.collector, done);
        }
        let join =
            Arc::new(Join { state: Mutex::new(JoinState { left: self.units.len(), values: Vec::new(), error: None, done: Some(done) }) });
        if self.units.is_empty() {
            return join.finish();
        }
        for unit in &self.units {
            let args = if unit.executor.num_args() > 0 { step.args.clone() } else { Vec::new() };
            let join = join.clone();
            let ended = Box::new(move |result| join.add(result));
            unit.executor.run_async(unit.context(env, &step), args, step.collector.clone(), ended);
        }
    }
}

impl Unit {
    fn context(&self, env: &WorkerEnv, step: &GraphStep) -> Arc<StepContext> {
        Arc::new(StepContext {
            step_id: step.step_id,
            session: step.session.clone(),
            device: self.device.info.clone(),
            resources: self.device.resources.clone(),
            step_resources: Arc::new(ResourceManager::new("")),
            rendezvous: step.rendezvous.clone(),
            cancellation: step.cancellation.clone(),
            pool: env.pool.clone(),
            functions: self.functions.clone(),
        })
    }
}

/// Waits for the pieces of one run.
struct Join {
    state: Mutex<JoinState>,
}

struct JoinState {
    left: usize,
    values: Vec<Option<Value>>,
    error: Option<Error>,
    done: Option<RunDone>,
}

impl Join {
    fn add(&self, result: Result<Vec<Option<Value>>>) {
        let mut state = self.state.lock();
        match result {
            Ok(values) if values.len() > state.values.len() => state.values = values,
            Ok(_) => {}
            Err(e) => state.error = Some(more_telling(state.error.take(), e)),
        }
        state.left -= 1;
        if state.left == 0 {
            drop(state);
            self.finish();
        }
    }

    fn finish(&self) {
        let mut state = self.state.lock();
        let result = match state.error.take() {
            Some(e) => Err(e),
            None => Ok(std::mem::take(&mut state.values)),
        };
        let done = state.done.take();
        drop(state);
        match done {
            Some(done) => done(result),
            None => tracing::error!("{}", internal("a step ended twice")),
        }
    }
}

/// Of two errors of one step the one that is no consequence of another; of equals the first (TF: `StatusGroup`).
pub(crate) fn more_telling(first: Option<Error>, second: Error) -> Error {
    match first {
        Some(first) if !first.is_derived() || second.is_derived() => first,
        _ => second,
    }
}
