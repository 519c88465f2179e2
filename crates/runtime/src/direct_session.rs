//! `DirectSession`: runs graphs inside this process on one device, without master or workers (TF: `DirectSession`).

use crate::lower::{lower, needs_lowering};
use crate::placer::{Pins, Placer, PlacerDevice};
use crate::prune::{FeedFetch, Signature, normalized_tensor_name, prune};
use crate::{Device, Executor, ExecutorParams, FunctionLibraryRuntime, KernelCache, LocalRendezvous, Pool, StepStatsCollector};
use ferroflow_graph::kernel::{CancellationManager, ComputePool, FunctionRuntime, ResourceManager, StepContext, Value};
use ferroflow_graph::{FunctionLibrary, NodeGraph, NodeId, OpRegistry};
use ferroflow_tensor::error::{cancelled, internal, invalid_argument};
use ferroflow_tensor::{DType, Error, Result, Tensor};
use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, mpsc};

/// How a session runs; the default is a CPU device of its own and one thread per core.
#[derive(Clone, Default)]
pub struct SessionOptions {
    /// The device; sessions that share it share variables.
    pub device: Option<Arc<Device>>,
    /// The threads.
    pub pool: Option<Arc<dyn ComputePool>>,
    /// Whether nodes that ask for a device type or number that there is not are run all the same.
    pub allow_soft_placement: bool,
}

/// A session in this process. It may be used from several threads at once.
pub struct DirectSession {
    params: ExecutorParams,
    placer: Placer,
    handle: Arc<str>,
    next_step: AtomicI64,
    state: Mutex<State>,
    steps: Mutex<HashMap<String, Arc<CompiledStep>>>,
    running: Mutex<Running>,
}

#[derive(Default)]
struct State {
    graph: NodeGraph,
    functions: Option<Arc<FunctionLibraryRuntime>>,
    pins: Pins,
}

#[derive(Default)]
struct Running {
    closed: bool,
    steps: HashMap<i64, Arc<StepContext>>,
}

struct CompiledStep {
    executor: Arc<Executor>,
    functions: Option<Arc<dyn FunctionRuntime>>,
    feed_types: Vec<DType>,
    /// Per fetch: a result of the executor, or a feed that is handed back.
    fetches: Vec<Fetched>,
}

#[derive(Clone, Copy)]
enum Fetched {
    Result(usize),
    Feed(usize),
}

impl DirectSession {
    /// A session without a graph.
    pub fn new(registry: Arc<OpRegistry>, options: SessionOptions) -> DirectSession {
        let device = options.device.unwrap_or_else(|| Arc::new(Device::cpu("localhost", 0, 0)));
        let placer = Placer::new(vec![PlacerDevice::new(device.info.spec.clone(), true)], options.allow_soft_placement);
        let pool = options.pool.unwrap_or_else(|| Arc::new(Pool::for_this_machine()));
        DirectSession {
            params: ExecutorParams { device, pool, kernels: Arc::new(KernelCache::new()), functions: None, registry },
            placer,
            handle: "direct".into(),
            next_step: AtomicI64::new(1),
            state: Mutex::default(),
            steps: Mutex::default(),
            running: Mutex::default(),
        }
    }

    /// The device that it runs on.
    pub fn device(&self) -> &Arc<Device> {
        &self.params.device
    }

    /// Adds the nodes of `graph` that the session does not have yet; the others must be there already, so a growing graph can be
    /// handed in whole each time.
    ///
    /// Errors: `InvalidArgument` for a malformed graph, or a node that the session knows under its name with another op.
    pub fn extend(&self, graph: NodeGraph) -> Result<()> {
        graph.validate()?;
        let mut state = self.state.lock();
        let mut ids = Vec::with_capacity(graph.len());
        let mut next = state.graph.len() as u32;
        for node in graph.nodes() {
            match state.graph.find(&node.info.name) {
                Some(known) if state.graph.node(known).info.op_name() == node.info.op_name() => ids.push((known, false)),
                Some(_) => {
                    let name = &node.info.name;
                    return Err(invalid_argument(format!("the session has a node '{name}' of another op")));
                }
                None => {
                    ids.push((NodeId(next), true));
                    next += 1;
                }
            }
        }
        let mut library = FunctionLibrary::clone(&state.graph.library);
        graph.library.iter().try_for_each(|f| library.add(f.clone()))?;
        graph.library.gradients().for_each(|(f, g)| library.set_gradient(f, g));
        for (node, _) in graph.nodes().iter().zip(&ids).filter(|(_, (_, new))| *new) {
            let mut node = node.clone();
            node.inputs.iter_mut().for_each(|e| e.node = ids[e.node.index()].0);
            node.control_inputs.iter_mut().for_each(|c| *c = ids[c.index()].0);
            state.graph.add(node)?;
        }
        if !graph.library.is_empty() {
            state.graph.library = Arc::new(library);
            state.functions = Some(FunctionLibraryRuntime::new(state.graph.library.clone(), &self.params));
        }
        state.graph.versions = graph.versions.clone();
        Ok(())
    }

    /// Runs one step: feeds these tensors (`name` or `name:index`), runs what `targets` (node names) and `fetches` need, and returns
    /// the fetched tensors.
    ///
    /// Errors: `NotFound` and `InvalidArgument` for names and tensors that do not fit the graph; else the first failure of a node.
    pub fn run(&self, feeds: &[(&str, Tensor)], fetches: &[&str], targets: &[&str]) -> Result<Vec<Tensor>> {
        self.run_with(feeds, fetches, targets, None)
    }

    /// As [`DirectSession::run`], noting when each node ran.
    ///
    /// Errors: as [`DirectSession::run`].
    pub fn run_traced(
        &self,
        feeds: &[(&str, Tensor)],
        fetches: &[&str],
        targets: &[&str],
        collector: &Arc<StepStatsCollector>,
    ) -> Result<Vec<Tensor>> {
        self.run_with(feeds, fetches, targets, Some(collector.clone()))
    }

    fn run_with(
        &self,
        feeds: &[(&str, Tensor)],
        fetches: &[&str],
        targets: &[&str],
        collector: Option<Arc<StepStatsCollector>>,
    ) -> Result<Vec<Tensor>> {
        let compiled = self.compiled(feeds, fetches, targets)?;
        for ((name, tensor), want) in feeds.iter().zip(&compiled.feed_types) {
            if tensor.dtype() != *want {
                return Err(invalid_argument(format!("the tensor fed for '{name}' is {}, expected {want}", tensor.dtype())));
            }
        }
        let step = self.begin_step(&compiled)?;
        let args = feeds.iter().map(|(_, t)| Value::Tensor(t.clone())).collect();
        let (sender, receiver) = mpsc::channel();
        // The receiver waits below until this is called.
        compiled.executor.run_async(step.clone(), args, collector, Box::new(move |result| drop(sender.send(result))));
        let result = receiver.recv().unwrap_or_else(|_| Err(internal("the step ended without a result")));
        self.running.lock().steps.remove(&step.step_id);
        let results = result?;
        let one = |fetched: &Fetched| match *fetched {
            Fetched::Feed(i) => Ok(feeds[i].1.clone()),
            Fetched::Result(i) => match &results[i] {
                Some(value) => value.to_tensor(),
                None => Err(internal(format!("Retval[{i}] does not have value"))),
            },
        };
        compiled.fetches.iter().map(one).collect()
    }

    fn begin_step(&self, compiled: &CompiledStep) -> Result<Arc<StepContext>> {
        let device = &self.params.device;
        let step = Arc::new(StepContext {
            step_id: self.next_step.fetch_add(1, Ordering::Relaxed),
            session: self.handle.clone(),
            device: device.info.clone(),
            resources: device.resources.clone(),
            step_resources: Arc::new(ResourceManager::new("step")),
            rendezvous: Arc::new(LocalRendezvous::new()),
            cancellation: Arc::new(CancellationManager::new()),
            pool: self.params.pool.clone(),
            functions: compiled.functions.clone(),
        });
        let mut running = self.running.lock();
        if running.closed {
            return Err(cancelled("Session has been closed."));
        }
        running.steps.insert(step.step_id, step.clone());
        Ok(step)
    }

    /// The step for these names, compiled if it is new.
    fn compiled(&self, feeds: &[(&str, Tensor)], fetches: &[&str], targets: &[&str]) -> Result<Arc<CompiledStep>> {
        let mut key = String::with_capacity(64);
        let names = feeds.iter().map(|f| f.0).chain([">"]).chain(fetches.iter().copied()).chain([">"]).chain(targets.iter().copied());
        for name in names {
            key.push_str(name);
            key.push('\n');
        }
        if let Some(step) = self.steps.lock().get(&key) {
            return Ok(step.clone());
        }
        let step = Arc::new(self.compile(feeds, fetches, targets)?);
        self.steps.lock().insert(key, step.clone());
        Ok(step)
    }

    fn compile(&self, feeds: &[(&str, Tensor)], fetches: &[&str], targets: &[&str]) -> Result<CompiledStep> {
        let fed: Vec<String> = feeds.iter().map(|f| normalized_tensor_name(f.0)).collect();
        let mut signature = Signature { feeds: fed, targets: targets.iter().map(|&t| t.to_owned()).collect(), ..Signature::default() };
        let mut places = Vec::with_capacity(fetches.len());
        for fetch in fetches.iter().map(|f| normalized_tensor_name(f)) {
            if let Some(i) = signature.feeds.iter().position(|f| *f == fetch) {
                places.push(Fetched::Feed(i));
                continue;
            }
            let known = signature.fetches.iter().position(|f| *f == fetch);
            places.push(Fetched::Result(known.unwrap_or(signature.fetches.len())));
            if known.is_none() {
                signature.fetches.push(fetch);
            }
        }
        let mut state = self.state.lock();
        let info = &self.params.device.info;
        let mut pruned = match signature.fetches.is_empty() && signature.targets.is_empty() && !places.is_empty() {
            // Only feeds are fetched: nothing is to be run, but they must name tensors of the graph.
            true => {
                let feed_types = signature.feeds.iter().map(|f| state.graph.endpoint(f).map(|e| state.graph.endpoint_type(e).dtype));
                let feed_types = feed_types.collect::<Result<_>>()?;
                crate::prune::Pruned { graph: NodeGraph::new(), feed_types, fetch_types: vec![] }
            }
            false => prune(&state.graph, &signature, FeedFetch::CallFrame, info, &self.params.registry)?,
        };
        if needs_lowering(&pruned.graph) {
            pruned.graph = lower(&pruned.graph, &state.graph, &self.params.registry)?;
        }
        self.placer.place(&mut pruned.graph, &mut state.pins)?;
        let functions = state.functions.clone().map(|f| f as Arc<dyn FunctionRuntime>);
        // Making kernels may take long and may call back; the graph is not needed any more.
        drop(state);
        let params = ExecutorParams { functions: functions.clone(), ..self.params.clone() };
        let executor = Executor::new(&pruned.graph, &params)?;
        Ok(CompiledStep { executor, functions, feed_types: pruned.feed_types, fetches: places })
    }

    /// Cancels the steps that are running; later ones run as before.
    pub fn cancel_running(&self, reason: Error) {
        let steps: Vec<_> = self.running.lock().steps.values().cloned().collect();
        for step in steps {
            step.cancellation.cancel(reason.clone());
            step.rendezvous.abort(reason.clone());
        }
    }

    /// Cancels the steps that are running and refuses later ones.
    pub fn close(&self) {
        self.running.lock().closed = true;
        self.cancel_running(cancelled("Session has been closed."));
    }
}

#[cfg(test)]
mod tests;
