//! `FunctionLibraryRuntime`: functions of a graph's library, made into executors and run inside the step that calls them (TF's class of that name).

use crate::{Executor, ExecutorParams, KernelCache};
use ferroflow_graph::kernel::{FunctionDone, FunctionHandle, FunctionRuntime, StepContext, Value};
use ferroflow_graph::{AttrMap, FunctionBody, FunctionLibrary, NodeGraph, NodeId, instantiate};
use ferroflow_tensor::Result;
use ferroflow_tensor::error::{cancelled, internal, invalid_argument, not_found};
use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::{Arc, Weak};

#[derive(Default)]
struct Instances {
    by_key: HashMap<String, FunctionHandle>,
    /// By number of the handle.
    executors: Vec<Arc<Executor>>,
}

/// The functions of one graph on one device. An instance lives as long as this does, and so does the state of its kernels.
pub struct FunctionLibraryRuntime {
    library: Arc<FunctionLibrary>,
    params: ExecutorParams,
    /// Itself, for kernels in bodies, which must not keep it alive.
    this: Weak<FunctionLibraryRuntime>,
    instances: Mutex<Instances>,
}

impl FunctionLibraryRuntime {
    /// A runtime for these functions. Of `params`, `functions` and `kernels` are not used: bodies call this runtime, and every
    /// instance has kernels of its own.
    pub fn new(library: Arc<FunctionLibrary>, params: &ExecutorParams) -> Arc<FunctionLibraryRuntime> {
        Arc::new_cyclic(|this| FunctionLibraryRuntime {
            library,
            // A dataset keeps its functions, and so this, for as long as some iterator exists; the session's kernels own iterators.
            params: ExecutorParams { functions: None, kernels: Arc::new(KernelCache::new()), ..params.clone() },
            this: this.clone(),
            instances: Mutex::default(),
        })
    }

    fn build(&self, name: &str, attrs: &AttrMap) -> Result<Arc<Executor>> {
        let function = self.library.get(name).ok_or_else(|| not_found(format!("Function {name} is not defined.")))?;
        let graph = needed(&instantiate(function, attrs, &self.library, &self.params.registry)?)?;
        let functions: Arc<dyn FunctionRuntime> = Arc::new(FromBody(self.this.clone()));
        let params = ExecutorParams { functions: Some(functions), kernels: Arc::new(KernelCache::new()), ..self.params.clone() };
        Executor::new(&graph, &params)
    }
}

impl FunctionRuntime for FunctionLibraryRuntime {
    fn instantiate(&self, name: &str, attrs: &AttrMap) -> Result<FunctionHandle> {
        let key = instance_key(name, attrs);
        if let Some(handle) = self.instances.lock().by_key.get(&key) {
            return Ok(*handle);
        }
        // Outside the lock: making kernels of the body may instantiate further functions. The first of two racing makers wins.
        let executor = self.build(name, attrs)?;
        let mut instances = self.instances.lock();
        if let Some(handle) = instances.by_key.get(&key) {
            return Ok(*handle);
        }
        let handle = FunctionHandle(instances.executors.len() as u64);
        instances.executors.push(executor);
        instances.by_key.insert(key, handle);
        Ok(handle)
    }

    fn run(&self, handle: FunctionHandle, step: &Arc<StepContext>, args: Vec<Value>, done: FunctionDone) {
        let executor = self.instances.lock().executors.get(handle.0 as usize).cloned();
        let Some(executor) = executor else {
            return done(Err(not_found(format!("there is no function instance {}", handle.0))));
        };
        if args.len() < executor.num_args() {
            return done(Err(invalid_argument(format!("a function takes {} arguments, got {}", executor.num_args(), args.len()))));
        }
        executor.run_async(step.clone(), args, None, Box::new(|result| done(result.and_then(live))));
    }

    fn fresh(&self) -> Option<Arc<dyn FunctionRuntime>> {
        Some(FunctionLibraryRuntime::new(self.library.clone(), &self.params))
    }
}

/// Results of a function must be there.
fn live(results: Vec<Option<Value>>) -> Result<Vec<Value>> {
    let one = |(i, v): (usize, Option<Value>)| v.ok_or_else(|| internal(format!("Retval[{i}] does not have value")));
    results.into_iter().enumerate().map(one).collect()
}

/// The nodes of a body that its results, its control outputs or effects need; others could only fail.
fn needed(body: &FunctionBody) -> Result<NodeGraph> {
    let graph = &body.graph;
    let mut wanted = vec![false; graph.len()];
    let effects = graph.iter().filter(|(_, n)| n.info.op.def.is_stateful || n.info.op.is_function_call()).map(|(id, _)| id);
    let mut open: Vec<NodeId> = effects.chain(body.args.iter().chain(&body.rets).chain(&body.control_rets).copied()).collect();
    while let Some(id) = open.pop() {
        if !std::mem::replace(&mut wanted[id.index()], true) {
            let node = graph.node(id);
            open.extend(node.inputs.iter().map(|e| e.node).chain(node.control_inputs.iter().copied()));
        }
    }
    let mut new_id = vec![NodeId(0); graph.len()];
    let kept = (0..graph.len()).filter(|&i| wanted[i]);
    kept.enumerate().for_each(|(new, old)| new_id[old] = NodeId(new as u32));
    let mut pruned = NodeGraph::new();
    pruned.library = graph.library.clone();
    pruned.versions = graph.versions.clone();
    for (_, node) in graph.iter().filter(|(id, _)| wanted[id.index()]) {
        let mut node = node.clone();
        node.inputs.iter_mut().for_each(|e| e.node = new_id[e.node.index()]);
        node.control_inputs.iter_mut().for_each(|c| *c = new_id[c.index()]);
        pruned.add(node)?;
    }
    Ok(pruned)
}

/// Equal for equal names and attributes; attributes are ordered by name.
pub(crate) fn instance_key(name: &str, attrs: &AttrMap) -> String {
    let mut key = name.to_owned();
    for (name, value) in attrs.iter().filter(|(name, _)| !name.starts_with('_')) {
        key.push_str(&format!("\n{name}={value:?}"));
    }
    key
}

/// The runtime as kernels of function bodies see it.
struct FromBody(Weak<FunctionLibraryRuntime>);

impl FunctionRuntime for FromBody {
    fn instantiate(&self, name: &str, attrs: &AttrMap) -> Result<FunctionHandle> {
        self.0.upgrade().ok_or_else(|| cancelled("the graph of the function is gone"))?.instantiate(name, attrs)
    }

    fn run(&self, handle: FunctionHandle, step: &Arc<StepContext>, args: Vec<Value>, done: FunctionDone) {
        match self.0.upgrade() {
            Some(runtime) => runtime.run(handle, step, args, done),
            None => done(Err(cancelled("the graph of the function is gone"))),
        }
    }

    fn fresh(&self) -> Option<Arc<dyn FunctionRuntime>> {
        self.0.upgrade()?.fresh()
    }
}
