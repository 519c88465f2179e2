//! A short way to write graphs and to run them.

use super::ops::{Tally, registry, tally};
use crate::{Device, Executor, ExecutorParams, FunctionLibraryRuntime, KernelCache, LocalRendezvous, Pool};
use ferroflow_graph::kernel::*;
use ferroflow_graph::{AttrMap, AttrValue, FunctionLibrary, Node, NodeGraph, NodeInfo, OpRegistry};
use ferroflow_tensor::{DType, Result, Tensor};
use std::sync::{Arc, mpsc};

struct Line {
    name: String,
    op: String,
    inputs: Vec<String>,
    attrs: AttrMap,
}

/// A graph as a list of lines. Types are int32 unless said otherwise.
pub(crate) struct Net {
    pub(crate) registry: Arc<OpRegistry>,
    lines: Vec<Line>,
    pub(crate) library: FunctionLibrary,
}

impl Net {
    pub(crate) fn new() -> Net {
        Net { registry: registry(), lines: Vec::new(), library: FunctionLibrary::default() }
    }

    /// Adds a node. Inputs are `a`, `a:1` or `^a`, and may name nodes that come later.
    pub(crate) fn node(&mut self, name: impl Into<String>, op: &str, inputs: &[&str]) -> &mut Net {
        let mut attrs = AttrMap::new();
        let def = &self.registry.get(op).unwrap().def;
        for attr in &def.attrs {
            match attr.name.as_str() {
                "T" | "dtype" => attrs.insert(attr.name.clone(), DType::Int32),
                "N" => attrs.insert("N", inputs.iter().filter(|i| !i.starts_with('^')).count()),
                "send_device" | "recv_device" => attrs.insert(attr.name.clone(), "/job:a/replica:0/task:0/device:CPU:0"),
                "send_device_incarnation" => attrs.insert("send_device_incarnation", 1i64),
                _ => {}
            }
        }
        self.lines.push(Line { name: name.into(), op: op.to_owned(), inputs: inputs.iter().map(|s| s.to_string()).collect(), attrs });
        self
    }

    /// Sets an attribute of the last node.
    pub(crate) fn with(&mut self, name: &str, value: impl Into<AttrValue>) -> &mut Net {
        self.lines.last_mut().unwrap().attrs.insert(name, value);
        self
    }

    pub(crate) fn constant(&mut self, name: &str, value: i32) -> &mut Net {
        self.node(name, "Const", &[]).with("value", Tensor::scalar(value))
    }

    pub(crate) fn bool(&mut self, name: &str, value: bool) -> &mut Net {
        self.node(name, "Const", &[]).with("value", Tensor::scalar(value)).with("dtype", DType::Bool)
    }

    pub(crate) fn enter(&mut self, name: &str, from: &str, frame: &str) -> &mut Net {
        self.node(name, "Enter", &[from]).with("frame_name", frame)
    }

    /// Makes `from` result number `index`.
    pub(crate) fn result(&mut self, index: usize, from: &str, dtype: DType) -> &mut Net {
        self.node(format!("result_{index}"), "_Retval", &[from]).with("index", index).with("T", dtype)
    }

    pub(crate) fn arg(&mut self, name: &str, index: usize) -> &mut Net {
        self.node(name, "_Arg", &[]).with("index", index)
    }

    pub(crate) fn graph(&self) -> NodeGraph {
        let mut graph = NodeGraph::new();
        graph.library = Arc::new(self.library.clone());
        for line in &self.lines {
            let info = NodeInfo::new(&*line.name, self.registry.get(&line.op).unwrap().clone(), line.attrs.clone()).unwrap();
            let node = Node {
                info: Arc::new(info),
                inputs: vec![],
                control_inputs: vec![],
                requested_device: "".into(),
                assigned_device: "".into(),
            };
            graph.add(node).unwrap();
        }
        for line in &self.lines {
            let (mut inputs, mut control) = (vec![], vec![]);
            for input in &line.inputs {
                match input.strip_prefix('^') {
                    Some(name) => control.push(graph.find(name).unwrap()),
                    None => inputs.push(graph.endpoint(input).unwrap()),
                }
            }
            let id = graph.find(&line.name).unwrap();
            let node = graph.node_mut(id);
            (node.inputs, node.control_inputs) = (inputs, control);
        }
        graph
    }

    pub(crate) fn machine(&self) -> Machine {
        self.machine_with(2).unwrap()
    }

    pub(crate) fn machine_with(&self, threads: usize) -> Result<Machine> {
        let device = Arc::new(Device::cpu("a", 0, 0));
        let pool: Arc<dyn ComputePool> = Arc::new(Pool::new(threads));
        let mut params =
            ExecutorParams { device, pool, kernels: Arc::new(KernelCache::new()), functions: None, registry: self.registry.clone() };
        let graph = self.graph();
        let runtime: Arc<dyn FunctionRuntime> = FunctionLibraryRuntime::new(graph.library.clone(), &params);
        params.functions = Some(runtime);
        Ok(Machine { executor: Executor::new(&graph, &params)?, params })
    }

    /// Runs the graph once and returns all results.
    pub(crate) fn run(&self) -> Result<Vec<Option<Value>>> {
        self.machine().run(vec![])
    }

    /// Result 0 of one run.
    pub(crate) fn run_int(&self) -> i32 {
        int(&self.run().unwrap(), 0)
    }
}

/// An executor with what it runs on.
pub(crate) struct Machine {
    pub(crate) executor: Arc<Executor>,
    pub(crate) params: ExecutorParams,
}

impl Machine {
    pub(crate) fn step(&self) -> Arc<StepContext> {
        Arc::new(StepContext {
            step_id: 1,
            session: "test".into(),
            device: self.params.device.info.clone(),
            resources: self.params.device.resources.clone(),
            step_resources: Arc::new(ResourceManager::new("step")),
            rendezvous: Arc::new(LocalRendezvous::new()),
            cancellation: Arc::new(CancellationManager::new()),
            pool: self.params.pool.clone(),
            functions: self.params.functions.clone(),
        })
    }

    pub(crate) fn start(&self, step: &Arc<StepContext>, args: Vec<Value>) -> mpsc::Receiver<Result<Vec<Option<Value>>>> {
        let (sender, receiver) = mpsc::channel();
        self.executor.run_async(step.clone(), args, None, Box::new(move |r| sender.send(r).unwrap()));
        receiver
    }

    pub(crate) fn run(&self, args: Vec<Value>) -> Result<Vec<Option<Value>>> {
        self.start(&self.step(), args).recv().unwrap()
    }

    pub(crate) fn resources(&self) -> &Arc<ResourceManager> {
        &self.params.device.resources
    }

    /// How often the `Count` node of this name has run.
    pub(crate) fn count(&self, node: &str) -> usize {
        let t: Arc<Tally> = tally(self.resources(), node).unwrap();
        t.0.load(std::sync::atomic::Ordering::SeqCst)
    }
}

pub(crate) fn tensor(results: &[Option<Value>], i: usize) -> Tensor {
    results[i].as_ref().unwrap_or_else(|| panic!("result {i} is dead")).to_tensor().unwrap()
}

pub(crate) fn int(results: &[Option<Value>], i: usize) -> i32 {
    tensor(results, i).to_scalar().unwrap()
}
