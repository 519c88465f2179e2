//! A few ops and a short way to write graphs, for the unit tests of placing, pruning, partitioning and rewriting.

use ferroflow_graph::kernel::DeviceInfo;
use ferroflow_graph::op::{Kernel, OpSpec, WORDS};
use ferroflow_graph::{AttrMap, AttrValue, Endpoint, Node, NodeGraph, NodeInfo, OpRegistry};
use ferroflow_tensor::{DType, DeviceSpec, Tensor};
use std::sync::Arc;

const TRANSFER: &str = "tensor_name: string; send_device: string; send_device_incarnation: int; recv_device: string; \
                        client_terminated: bool = false";

const PRIMITIVE: &[Kernel] = &[Kernel::control_flow()];
const FUNCTION: &[Kernel] = &[Kernel::cpu(|_| Ok(()))];

const fn op(signature: &'static str, attrs: &'static str, flags: &'static str) -> OpSpec {
    OpSpec { signature, attrs, flags, kernels: PRIMITIVE, ..WORDS }
}

static SPECS: &[OpSpec] = &[
    op("Const() -> (output: dtype)", "value: tensor; dtype: type", ""),
    op("Placeholder() -> (output: dtype)", "dtype: type; shape: shape = unknown", ""),
    op("NoOp() -> ()", "", ""),
    op("Identity(input: T) -> (output: T)", "T: type", ""),
    op("Add(x: T, y: T) -> (z: T)", "T: type", "commutative"),
    op("Shape(input: T) -> (output: int32)", "T: type", ""),
    op(
        "VariableV2() -> (ref: Ref(dtype))",
        "shape: shape = unknown; dtype: type; container: string = \"\"; shared_name: string = \"\"",
        "stateful",
    ),
    op("Assign(ref: Ref(T), value: T) -> (output_ref: Ref(T))", "T: type", "uninitialized_input"),
    op("VarHandleOp() -> (resource: resource)", "dtype: type; shape: shape = unknown", "stateful"),
    op("ReadVariableOp(resource: resource) -> (value: dtype)", "dtype: type", "stateful"),
    op("Split2(x: T) -> (a: T, b: T)", "T: type", ""),
    op("Switch(data: T, pred: bool) -> (output_false: T, output_true: T)", "T: type", ""),
    op("Merge(inputs: N * T) -> (output: T, value_index: int32)", "T: type; N: int >= 1", ""),
    op("Enter(data: T) -> (output: T)", "T: type; frame_name: string; is_constant: bool = false; parallel_iterations: int = 10", ""),
    op("Exit(data: T) -> (output: T)", "T: type", ""),
    op("NextIteration(data: T) -> (output: T)", "T: type", ""),
    op("LoopCond(input: bool) -> (output: bool)", "", ""),
    op("Less(x: T, y: T) -> (z: bool)", "T: type", ""),
    op("_Arg() -> (output: T)", "T: type; index: int >= 0", "stateful"),
    op("_Retval(input: T) -> ()", "T: type; index: int >= 0", "stateful"),
    OpSpec {
        signature: "GpuOnly(x: T) -> (y: T)",
        attrs: "T: type",
        kernels: &[Kernel { device_type: "GPU", ..Kernel::control_flow() }],
        ..WORDS
    },
    OpSpec {
        signature: "Both(x: T) -> (y: T)",
        attrs: "T: type",
        kernels: &[Kernel::control_flow(), Kernel { device_type: "GPU", ..Kernel::control_flow() }],
        ..WORDS
    },
    OpSpec { signature: "PyFunc() -> (y: float)", kernels: &[], ..WORDS },
];

/// The ops above and the transfer ops.
pub(crate) fn registry() -> Arc<OpRegistry> {
    let send = |signature: &'static str, ty: &str| {
        let attrs: &'static str = Box::leak(format!("{ty}: type; {TRANSFER}").into_boxed_str());
        &*Box::leak(Box::new(op(signature, attrs, "stateful")))
    };
    let transfers = [
        send("_Send(tensor: T) -> ()", "T"),
        send("_HostSend(tensor: T) -> ()", "T"),
        send("_Recv() -> (tensor: tensor_type)", "tensor_type"),
        send("_HostRecv() -> (tensor: tensor_type)", "tensor_type"),
    ];
    Arc::new(OpRegistry::new(SPECS.iter().chain(transfers)).unwrap())
}

/// A graph in the making.
pub(crate) struct TestGraph {
    pub registry: Arc<OpRegistry>,
    pub graph: NodeGraph,
}

impl TestGraph {
    pub fn new() -> TestGraph {
        TestGraph { registry: registry(), graph: NodeGraph::new() }
    }

    /// Over ops of one type attribute that are plain functions, given by their signatures.
    pub fn with_function_ops(signatures: &[&'static str]) -> TestGraph {
        let specs = signatures.iter().map(|&signature| {
            let attrs = if signature.starts_with("Const") { "value: tensor; dtype: type" } else { "T: type" };
            &*Box::leak(Box::new(OpSpec { signature, attrs, kernels: FUNCTION, ..WORDS }))
        });
        TestGraph { registry: Arc::new(OpRegistry::new(specs).unwrap()), graph: NodeGraph::new() }
    }

    /// Adds `name`, an `op` of floats with these inputs (`a`, `a:1`, `^a`; later nodes may be named) at `device`.
    pub fn node(&mut self, name: &str, op: &str, inputs: &[&str], device: &str) -> &mut TestGraph {
        self.node_with(name, op, inputs, device, &[])
    }

    pub fn node_with(&mut self, name: &str, op: &str, inputs: &[&str], device: &str, extra: &[(&str, AttrValue)]) -> &mut TestGraph {
        let op = self.registry.get(op).unwrap().clone();
        let mut attrs = AttrMap::new();
        for def in &op.def.attrs {
            match def.name.as_str() {
                "T" | "dtype" => attrs.insert(def.name.clone(), DType::Float),
                "value" => attrs.insert("value", Tensor::scalar(1f32)),
                "N" => attrs.insert("N", inputs.len()),
                _ => {}
            }
        }
        for (k, v) in extra {
            attrs.insert(*k, v.clone());
        }
        let info = NodeInfo::new(name, op, attrs).unwrap();
        let mut node = Node {
            info: Arc::new(info),
            inputs: vec![],
            control_inputs: vec![],
            requested_device: device.into(),
            assigned_device: device.into(),
        };
        for input in inputs.iter().filter(|i| !i.starts_with('?')) {
            match input.strip_prefix('^') {
                Some(c) => node.control_inputs.push(self.graph.find(c).unwrap()),
                None => node.inputs.push(self.graph.endpoint(input).unwrap()),
            }
        }
        self.graph.add(node).unwrap();
        self
    }

    /// Sets a back edge.
    pub fn connect(&mut self, from: &str, to: &str) -> &mut TestGraph {
        let e: Endpoint = self.graph.endpoint(from).unwrap();
        let to = self.graph.find(to).unwrap();
        self.graph.node_mut(to).inputs.push(e);
        self
    }

    pub fn device_of(&self, name: &str) -> &str {
        &self.graph.node(self.graph.find(name).unwrap()).assigned_device
    }
}

pub(crate) fn cpu(job: &str, task: u32) -> DeviceInfo {
    let spec = DeviceSpec::cpu(job, task, 0);
    DeviceInfo { name: spec.to_string().into(), spec, incarnation: 0x1234 + task as u64 }
}

/// Inputs as text, for comparing.
pub(crate) fn inputs_of(graph: &NodeGraph, name: &str) -> Vec<String> {
    let node = graph.node(graph.find(name).unwrap_or_else(|| panic!("no node {name}")));
    let data = node.inputs.iter().map(|e| format!("{}:{}", graph.node(e.node).info.name, e.index));
    let control = node.control_inputs.iter().map(|c| format!("^{}", graph.node(*c).info.name));
    data.chain(control).collect()
}
