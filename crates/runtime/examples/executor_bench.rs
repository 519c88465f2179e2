//! What a node costs: nanoseconds per node of chains, fans and loops of trivial kernels.
//!
//! `cargo run --release -p ferroflow-runtime --example executor_bench`

use ferroflow_graph::kernel::{CancellationManager, ComputePool, OpKernelContext, ResourceManager, StepContext, Value};
use ferroflow_graph::op::{Kernel, OpSpec, WORDS};
use ferroflow_graph::{AttrMap, Endpoint, Node, NodeGraph, NodeId, NodeInfo, OpRegistry};
use ferroflow_runtime::{Device, Executor, ExecutorParams, KernelCache, LocalRendezvous, Pool};
use ferroflow_tensor::{DType, Result, Tensor};
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

const FLOW: &[Kernel] = &[Kernel::control_flow()];

static SPECS: &[OpSpec] = &[
    OpSpec { signature: "_Arg() -> (output: T)", attrs: "T: type; index: int >= 0", flags: "stateful", kernels: FLOW, ..WORDS },
    OpSpec { signature: "_Retval(input: T) -> ()", attrs: "T: type; index: int >= 0", flags: "stateful", kernels: FLOW, ..WORDS },
    OpSpec { signature: "AddOne(x: float) -> (y: float)", kernels: &[Kernel::cpu(add_one).inline()], ..WORDS },
    OpSpec { signature: "Add(x: float, y: float) -> (z: float)", kernels: &[Kernel::cpu(add)], ..WORDS },
    OpSpec { signature: "Sum(x: N * float) -> (y: float)", attrs: "N: int >= 1", kernels: &[Kernel::cpu(sum)], ..WORDS },
    OpSpec { signature: "Less(x: float, y: float) -> (z: bool)", kernels: &[Kernel::cpu(less)], ..WORDS },
    OpSpec { signature: "Switch(data: T, pred: bool) -> (f: T, t: T)", attrs: "T: type", kernels: FLOW, ..WORDS },
    OpSpec { signature: "Merge(inputs: N * T) -> (output: T, i: int32)", attrs: "T: type; N: int >= 1", kernels: FLOW, ..WORDS },
    OpSpec {
        signature: "Enter(data: T) -> (output: T)",
        attrs: "T: type; frame_name: string; is_constant: bool = false; parallel_iterations: int = 10",
        kernels: FLOW,
        ..WORDS
    },
    OpSpec { signature: "Exit(data: T) -> (output: T)", attrs: "T: type", kernels: FLOW, ..WORDS },
    OpSpec { signature: "NextIteration(data: T) -> (output: T)", attrs: "T: type", kernels: FLOW, ..WORDS },
    OpSpec { signature: "LoopCond(input: bool) -> (output: bool)", kernels: FLOW, ..WORDS },
];

fn add_one(c: &mut OpKernelContext) -> Result<()> {
    let mut x = c.take_input(0)?;
    x.make_mut::<f32>()?[0] += 1.0;
    c.set_output(0, x);
    Ok(())
}

fn add(c: &mut OpKernelContext) -> Result<()> {
    let y = c.slice::<f32>(1)?[0];
    let mut x = c.take_input(0)?;
    x.make_mut::<f32>()?[0] += y;
    c.set_output(0, x);
    Ok(())
}

fn sum(c: &mut OpKernelContext) -> Result<()> {
    let mut total = 0.0;
    for i in 0..c.num_inputs() {
        total += c.slice::<f32>(i)?[0];
    }
    c.set_output(0, Tensor::scalar(total));
    Ok(())
}

fn less(c: &mut OpKernelContext) -> Result<()> {
    let z = c.slice::<f32>(0)?[0] < c.slice::<f32>(1)?[0];
    c.set_output(0, Tensor::scalar(z));
    Ok(())
}

struct Net {
    registry: Arc<OpRegistry>,
    graph: NodeGraph,
}

impl Net {
    fn new() -> Result<Net> {
        Ok(Net { registry: Arc::new(OpRegistry::new(SPECS)?), graph: NodeGraph::new() })
    }

    fn add(&mut self, op: &str, inputs: &[Endpoint], set: &[(&str, ferroflow_graph::AttrValue)]) -> Result<Endpoint> {
        let op = self.registry.get(op)?.clone();
        let mut attrs = AttrMap::new();
        if op.def.attr("T").is_some() {
            attrs.insert("T", DType::Float);
        }
        if op.def.attr("N").is_some() {
            attrs.insert("N", inputs.len());
        }
        set.iter().for_each(|(k, v)| attrs.insert(*k, v.clone()));
        let info = Arc::new(NodeInfo::new(format!("n{}", self.graph.len()), op, attrs)?);
        let (requested_device, assigned_device) = ("".into(), "".into());
        let node = self.graph.add(Node { info, inputs: inputs.to_vec(), control_inputs: vec![], requested_device, assigned_device })?;
        Ok(Endpoint { node, index: 0 })
    }

    fn arg(&mut self, index: usize) -> Result<Endpoint> {
        self.add("_Arg", &[], &[("index", index.into())])
    }

    fn result(&mut self, from: Endpoint) -> Result<()> {
        self.add("_Retval", &[from], &[("index", 0usize.into())]).map(drop)
    }
}

struct Machine {
    executor: Arc<Executor>,
    params: ExecutorParams,
}

impl Machine {
    fn new(net: &Net) -> Result<Machine> {
        let pool: Arc<dyn ComputePool> = Arc::new(Pool::for_this_machine());
        let device = Arc::new(Device::cpu("localhost", 0, 0));
        let params =
            ExecutorParams { device, pool, kernels: Arc::new(KernelCache::new()), functions: None, registry: net.registry.clone() };
        Ok(Machine { executor: Executor::new(&net.graph, &params)?, params })
    }

    fn run(&self, args: &[f32]) -> Result<f32> {
        let step = Arc::new(StepContext {
            step_id: 1,
            session: "bench".into(),
            device: self.params.device.info.clone(),
            resources: self.params.device.resources.clone(),
            step_resources: Arc::new(ResourceManager::new("step")),
            rendezvous: Arc::new(LocalRendezvous::new()),
            cancellation: Arc::new(CancellationManager::new()),
            pool: self.params.pool.clone(),
            functions: None,
        });
        let (sender, receiver) = mpsc::channel();
        let args = args.iter().map(|&x| Value::Tensor(Tensor::scalar(x))).collect();
        self.executor.run_async(step, args, None, Box::new(move |result| drop(sender.send(result))));
        let results = receiver.recv().unwrap_or_else(|_| Ok(vec![]))?;
        match results.into_iter().next().flatten() {
            Some(value) => value.to_tensor()?.to_scalar(),
            None => Err(ferroflow_tensor::error::internal("the result is dead")),
        }
    }
}

/// Prints the least and the median time of a run, divided by the number of nodes.
fn measure(name: &str, net: &Net, nodes: usize, args: &[f32], want: f32) -> Result<()> {
    let machine = Machine::new(net)?;
    let got = machine.run(args)?;
    assert!(got == want, "{name}: {got} instead of {want}");
    let mut times: Vec<Duration> = Vec::new();
    let begin = Instant::now();
    while times.len() < 20 || begin.elapsed() < Duration::from_millis(700) {
        let start = Instant::now();
        machine.run(args)?;
        times.push(start.elapsed());
    }
    times.sort();
    let per_node = |t: Duration| t.as_nanos() as f64 / nodes as f64;
    println!("{name:<44} {:>9.1} ns/node at best, {:>9.1} in the median", per_node(times[0]), per_node(times[times.len() / 2]));
    Ok(())
}

fn main() -> Result<()> {
    const N: usize = 10_000;
    let mut net = Net::new()?;
    let x = net.arg(0)?;
    net.result(x)?;
    measure("an empty step", &net, 1, &[1.0], 1.0)?;

    let mut net = Net::new()?;
    let mut x = net.arg(0)?;
    for _ in 0..N {
        x = net.add("AddOne", &[x], &[])?;
    }
    net.result(x)?;
    measure("a chain of 10,000 AddOne, in place", &net, N, &[0.0], N as f32)?;

    let mut net = Net::new()?;
    let (mut x, one) = (net.arg(0)?, net.arg(1)?);
    for _ in 0..N {
        x = net.add("Add", &[x, one], &[])?;
    }
    net.result(x)?;
    measure("a chain of 10,000 Add with one shared operand", &net, N, &[0.0, 1.0], N as f32)?;

    let mut net = Net::new()?;
    let x = net.arg(0)?;
    let fan: Vec<Endpoint> = (0..N).map(|_| net.add("AddOne", &[x], &[])).collect::<Result<_>>()?;
    let total = net.add("Sum", &fan, &[])?;
    net.result(total)?;
    measure("a fan of 10,000 AddOne, each with its copy", &net, N, &[0.0], N as f32)?;

    let mut net = Net::new()?;
    let (zero, limit) = (net.arg(0)?, net.arg(1)?);
    let frame = ("frame_name", "w".into());
    let enter = net.add("Enter", &[zero], std::slice::from_ref(&frame))?;
    let limit = net.add("Enter", &[limit], &[frame, ("is_constant", true.into())])?;
    let merge = net.add("Merge", &[enter, enter], &[])?;
    let less = net.add("Less", &[merge, limit], &[])?;
    let cond = net.add("LoopCond", &[less], &[])?;
    let switch = net.add("Switch", &[merge, cond], &[])?;
    let body = net.add("AddOne", &[Endpoint { node: switch.node, index: 1 }], &[])?;
    let next = net.add("NextIteration", &[body], &[])?;
    net.graph.node_mut(NodeId(merge.node.0)).inputs[1] = next;
    let exit = net.add("Exit", &[switch], &[])?;
    net.result(exit)?;
    measure("a loop of 10,000 turns, 7 nodes each", &net, 7 * N, &[0.0, N as f32], N as f32)
}
