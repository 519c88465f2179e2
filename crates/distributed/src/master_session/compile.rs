//! Compiling a run: pruned, rewritten, cut by task, registered at the workers (TF: `ReffedClientGraph`).

use super::MasterSession;
use super::lost::QueueUse;
use crate::call::{CallOptions, Done};
use crate::graph_mgr::{RegisteredGraph, more_telling};
use crate::worker_interface::{RegisterGraphRequest, WorkerInterface};
use ferroflow_graph::{NodeGraph, OpRegistry};
use ferroflow_runtime::lower::{lower, needs_lowering};
use ferroflow_runtime::partition::{PartitionOptions, partition, task_of};
use ferroflow_runtime::passes::{evaluator, optimize};
use ferroflow_runtime::prune::{FeedFetch, Pruned, Signature, prune};
use ferroflow_tensor::error::{internal, invalid_argument};
use ferroflow_tensor::{DType, Error, Result};
use parking_lot::Mutex;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// A run that is ready: every partition is registered where it will run.
pub(super) struct CompiledStep {
    /// The partition of this task, if its values are passed by index.
    pub local: Option<Arc<RegisteredGraph>>,
    /// The partitions that are run through the worker interface.
    pub parts: Vec<Part>,
    /// Type of each feed, in the order of the signature.
    pub feed_types: Vec<DType>,
    /// How often it was run, as far as the session counts runs.
    pub runs: AtomicU64,
    /// What it does with queues.
    pub queues: QueueUse,
}

/// A partition at a worker.
pub(super) struct Part {
    pub task: Arc<str>,
    pub worker: Arc<dyn WorkerInterface>,
    pub graph_handle: Arc<str>,
    /// Whether it is this task's own, which holds all feeds and fetches.
    pub is_own: bool,
}

/// The place of a compiled step: empty, being compiled, or ready.
pub(super) struct StepSlot {
    pub signature: Signature,
    pub mode: FeedFetch,
    state: Mutex<SlotState>,
    /// The tasks that have not registered their part yet, while it is being compiled.
    awaited: Mutex<Vec<Arc<str>>>,
}

enum SlotState {
    Empty,
    Compiling(Vec<Done<Arc<CompiledStep>>>),
    Ready(Arc<CompiledStep>),
}

impl StepSlot {
    /// An empty place. The signature's lists are sorted and without duplicates.
    pub fn new(signature: Signature, mode: FeedFetch) -> StepSlot {
        StepSlot { signature, mode, state: Mutex::new(SlotState::Empty), awaited: Mutex::default() }
    }

    /// The step, if it is ready.
    pub fn ready(&self) -> Option<Arc<CompiledStep>> {
        match &*self.state.lock() {
            SlotState::Ready(step) => Some(step.clone()),
            _ => None,
        }
    }

    /// The tasks that have not registered their part yet, while it is being compiled.
    pub fn awaited(&self) -> Vec<Arc<str>> {
        self.awaited.lock().clone()
    }

    /// The step, compiled by whoever comes first. After a failure the next one tries again.
    pub fn get(self: &Arc<Self>, session: &Arc<MasterSession>, done: Done<Arc<CompiledStep>>) {
        let mut state = self.state.lock();
        match &mut *state {
            SlotState::Ready(step) => {
                let step = step.clone();
                drop(state);
                done(Ok(step));
            }
            SlotState::Compiling(waiting) => waiting.push(done),
            SlotState::Empty => {
                *state = SlotState::Compiling(vec![done]);
                drop(state);
                let (slot, owner) = (self.clone(), session.clone());
                compile(session, self, Box::new(move |result| slot.finish(&owner, result)));
            }
        }
    }

    fn finish(&self, session: &MasterSession, result: Result<Arc<CompiledStep>>) {
        let next = match &result {
            Ok(step) => SlotState::Ready(step.clone()),
            Err(_) => SlotState::Empty,
        };
        let before = std::mem::replace(&mut *self.state.lock(), next);
        if result.is_err() {
            session.steps.forget(self);
        }
        if let SlotState::Compiling(waiting) = before {
            waiting.into_iter().for_each(|done| done(result.clone()));
        }
    }
}

fn compile(session: &Arc<MasterSession>, slot: &Arc<StepSlot>, done: Done<Arc<CompiledStep>>) {
    match cut(session, &slot.signature, slot.mode) {
        Ok((graphs, made)) => register(session, slot, graphs, made, done),
        Err(e) => done(Err(e)),
    }
}

type Partitions = Vec<(Arc<str>, NodeGraph)>;

/// What is known of a step when it is cut: the types of its feeds, and what it does with queues.
type Made = (Vec<DType>, QueueUse);

/// Prunes, rewrites and cuts the session's graph.
fn cut(session: &MasterSession, signature: &Signature, mode: FeedFetch) -> Result<(Partitions, Made)> {
    let env = session.seed.env.worker_env();
    let placed = session.graph.lock().placed().clone();
    let mut pruned = prune(&placed, signature, mode, &session.client_device, &env.registry)?;
    if needs_lowering(&pruned.graph) {
        pruned = lowered(session, signature, mode, &env.registry)?;
    }
    let queues = QueueUse::of(&pruned.graph, signature);
    let device = env.devices.first().ok_or_else(|| internal("the task has no device"))?;
    let graph = optimize(pruned.graph, session.seed.config.passes, &env.registry, &*evaluator(device, &env.pool))?;
    let parts = partition(
        &graph,
        PartitionOptions {
            part_of: &task_of,
            incarnation: &|name| {
                let device = session.seed.devices.iter().find(|d| d.name == name);
                device.map(|d| d.incarnation).ok_or_else(|| invalid_argument(format!("{name} unknown device.")))
            },
            new_name: &mut |name| format!("{name}_S{}", session.names.fetch_add(1, Ordering::Relaxed)),
            registry: &env.registry,
        },
    )?;
    Ok((parts.into_iter().collect(), (pruned.feed_types, queues)))
}

/// A step with functions: they are expanded, and what comes out is placed as one graph, because the nodes of bodies have devices of
/// their own and draw others to them.
fn lowered(session: &MasterSession, signature: &Signature, mode: FeedFetch, registry: &Arc<OpRegistry>) -> Result<Pruned> {
    let client = session.graph.lock().client().clone();
    let mut pruned = prune(&client, signature, mode, &session.client_device, registry)?;
    pruned.graph = lower(&pruned.graph, &client, registry)?;
    session.graph.lock().place(&mut pruned.graph)?;
    if session.seed.config.log_device_placement {
        for node in pruned.graph.nodes().iter().filter(|n| client.find(&n.info.name).is_none()) {
            tracing::info!("{}: ({}): {}", node.info.name, node.info.op_name(), node.assigned_device);
        }
    }
    Ok(pruned)
}

/// Waits for all workers to register their partitions.
struct Registering {
    state: Mutex<RegisteringState>,
}

struct RegisteringState {
    left: usize,
    handles: Vec<Option<Arc<str>>>,
    error: Option<Error>,
}

fn register(session: &Arc<MasterSession>, slot: &Arc<StepSlot>, graphs: Partitions, made: Made, done: Done<Arc<CompiledStep>>) {
    let (feed_types, queues) = made;
    let mut local = None;
    let mut remote = Vec::new();
    for (task, graph) in graphs {
        let is_own = *task == *session.own_name;
        if is_own && slot.mode == FeedFetch::CallFrame {
            match session.local().and_then(|l| l.graphs().register(session.seed.env.worker_env(), l, &graph)) {
                Ok(registered) => local = Some(registered),
                Err(e) => return done(Err(e.at_task(&task))),
            }
        } else {
            match session.worker(&task) {
                Ok(worker) => remote.push((task, worker, Arc::new(graph), is_own)),
                Err(e) => return done(Err(e)),
            }
        }
    }
    if remote.is_empty() {
        return done(Ok(Arc::new(CompiledStep { local, parts: Vec::new(), feed_types, runs: AtomicU64::new(0), queues })));
    }
    let state = RegisteringState { left: remote.len(), handles: vec![None; remote.len()], error: None };
    let registering = Arc::new(Registering { state: Mutex::new(state) });
    let unregistered = |(task, worker, _, is_own): &(Arc<str>, Arc<dyn WorkerInterface>, Arc<NodeGraph>, bool)| Part {
        task: task.clone(),
        worker: worker.clone(),
        graph_handle: "".into(),
        is_own: *is_own,
    };
    let parts: Vec<Part> = remote.iter().map(unregistered).collect();
    *slot.awaited.lock() = remote.iter().map(|(task, ..)| task.clone()).collect();
    let finish = Arc::new(Mutex::new(Some((local, parts, feed_types, queues, done))));
    for (i, (task, worker, graph, _)) in remote.into_iter().enumerate() {
        let request = RegisterGraphRequest {
            session_handle: session.handle().clone(),
            create_worker_session_called: true,
            graph,
            passes: session.seed.config.passes,
            build_cost_model: session.seed.config.build_cost_model,
        };
        let (registering, finish, owner, slot) = (registering.clone(), finish.clone(), session.clone(), slot.clone());
        let answered = move |result: Result<Arc<str>>| {
            slot.awaited.lock().retain(|t| *t != task);
            let mut state = registering.state.lock();
            match result {
                Ok(handle) => state.handles[i] = Some(handle),
                Err(e) => state.error = Some(more_telling(state.error.take(), e.at_task(&task))),
            }
            state.left -= 1;
            if state.left > 0 {
                return;
            }
            let (error, handles) = (state.error.take(), std::mem::take(&mut state.handles));
            drop(state);
            let Some((local, mut parts, feed_types, queues, done)) = finish.lock().take() else { return };
            if let Some(e) = error {
                if let (Some(graph), Ok(session)) = (&local, owner.local()) {
                    let _forgotten = session.graphs().deregister(graph.handle());
                }
                return done(Err(e));
            }
            for (part, handle) in parts.iter_mut().zip(handles.into_iter().flatten()) {
                part.graph_handle = handle;
            }
            done(Ok(Arc::new(CompiledStep { local, parts, feed_types, runs: AtomicU64::new(0), queues })));
        };
        worker.register_graph(CallOptions::default(), request, Box::new(answered));
    }
}
