//! The graph as an executor runs it: immutable, in flat arrays (TF: `ImmutableExecutorState`, `GraphView`).

use super::ExecutorParams;
use super::frame_tree::{frame_tree, name_hash, refuse_cycles};
use crate::kernel_cache::{BuiltKernel, NodeKernel};
use ferroflow_graph::kernel::OpKernelContext;
use ferroflow_graph::op::Cost;
use ferroflow_graph::{Endpoint, NodeGraph, NodeInfo};
use ferroflow_tensor::Result;
use ferroflow_tensor::error::invalid_argument;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// An index names a place in the caller's list, for which memory is set aside.
const MOST_ARGS: usize = 1 << 20;

/// What the executor does with a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Calls its kernel.
    Kernel,
    /// Calls its kernel, also with dead inputs: a transfer.
    Transfer,
    /// Calls the function that its op names.
    Call,
    /// Hands a reference on unread; see [`late_reads`].
    LateRead,
    /// Takes an argument of the run.
    Arg,
    /// Hands a result to the run.
    Retval,
    Switch,
    SwitchN,
    Merge,
    Enter,
    Exit,
    NextIteration,
    /// Passes its input on.
    LoopCond,
    /// Runs when its inputs are there, dead or not.
    ControlTrigger,
}

impl Kind {
    fn of(node: &NodeInfo) -> Kind {
        match node.op_name() {
            _ if node.op.is_function_call() => Kind::Call,
            "_Send" | "_HostSend" | "_Recv" | "_HostRecv" => Kind::Transfer,
            "_Arg" | "_DeviceArg" => Kind::Arg,
            "_Retval" | "_DeviceRetval" => Kind::Retval,
            "Switch" | "RefSwitch" => Kind::Switch,
            "_SwitchN" => Kind::SwitchN,
            "Merge" | "RefMerge" => Kind::Merge,
            "Enter" | "RefEnter" => Kind::Enter,
            "Exit" | "RefExit" => Kind::Exit,
            "NextIteration" | "RefNextIteration" => Kind::NextIteration,
            "LoopCond" => Kind::LoopCond,
            "ControlTrigger" => Kind::ControlTrigger,
            _ => Kind::Kernel,
        }
    }
}

/// A data edge.
#[derive(Clone, Copy)]
pub(crate) struct Edge {
    /// The consumer.
    pub(crate) to: u32,
    /// Which of its inputs.
    pub(crate) input: u32,
    /// Which output of the producer.
    pub(crate) output: u32,
    /// Whether it is the output's last edge, which moves the value instead of sharing it.
    pub(crate) last: bool,
}

/// A kernel that is a plain function.
type Function = fn(&mut OpKernelContext) -> Result<()>;

/// How a node's inputs treat references.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refs {
    /// None arrives, or all are handed to the kernel.
    None,
    /// All are read; the node's description, which is far away in memory, need not be asked.
    Read,
    /// Some are read, some are what the op wants.
    ByInput,
}

/// Whether a kernel's last call was quick; until it is known, it is not.
#[derive(Default)]
pub(crate) struct Pace {
    is_quick: AtomicBool,
}

impl Pace {
    /// A call that takes less is quick: a thread that serves connections may make it.
    const QUICK_WITHIN: Duration = Duration::from_micros(20);

    pub(crate) fn is_quick(&self) -> bool {
        self.is_quick.load(Ordering::Relaxed)
    }

    /// Notes a call.
    pub(crate) fn note(&self, took: Duration) {
        self.is_quick.store(took < Pace::QUICK_WITHIN, Ordering::Relaxed);
    }
}

/// A node: what running it needs, in one cache line.
#[repr(align(64))]
pub(crate) struct Item {
    pub(crate) kind: Kind,
    /// What its kernel costs.
    pub(crate) cost: Cost,
    /// Whether its kernel may end later than its call.
    pub(crate) is_async: bool,
    /// How long its kernel has lately taken, if it is one whose cost depends on its inputs and that ran at once.
    pub(crate) pace: Pace,
    /// What is to be done with inputs that arrive as references.
    pub(crate) refs: Refs,
    /// Its number among the nodes of its frame.
    pub(crate) local: u32,
    /// Where its inputs are among those of its frame.
    pub(crate) first_slot: u32,
    pub(crate) num_inputs: u32,
    pub(crate) num_outputs: u32,
    /// Its data edges.
    pub(crate) edges: (u32, u32),
    /// Its control edges.
    pub(crate) controls: (u32, u32),
    /// Of `_Arg` and `_Retval` the index; of `Enter` the frame that it enters.
    pub(crate) index: u32,
    /// Of `Enter`: whether every iteration gets the value. Of `_Arg`: whether no other `_Arg` has its index. Of `Merge`: whether
    /// someone wants to know which input it was.
    pub(crate) flag: bool,
    /// The kernel's function, if it is one, so that the kernel itself need not be fetched from memory.
    pub(crate) function: Option<Function>,
    pub(crate) kernel: Option<Arc<NodeKernel>>,
}

const _: () = assert!(std::mem::size_of::<Item>() == 64);

impl Item {
    pub(crate) fn slots(&self) -> Range<usize> {
        self.first_slot as usize..(self.first_slot + self.num_inputs) as usize
    }
}

/// How far a node is from running; see [`super::iteration`].
#[derive(Clone, Copy, Default)]
pub(crate) struct Pending {
    /// Inputs, data and control, that are not there yet.
    pub(crate) left: u32,
    /// Of most nodes: not 0 if an input is dead. Of a `Merge`: see [`super::iteration`].
    pub(crate) mark: u32,
}

/// A frame: what one iteration of it needs.
pub(crate) struct Frame {
    pub(crate) parallel_iterations: usize,
    pub(crate) name_hash: u64,
    /// How many `Enter`s lead into it.
    pub(crate) enters: u32,
    /// The `Exit`s that lead out of it.
    pub(crate) exits: Vec<u32>,
    /// Per node of the frame how many inputs it waits for at first.
    pub(crate) pending: Vec<Pending>,
    /// How many inputs its nodes have in all.
    pub(crate) slots: usize,
}

/// A graph ready to run.
pub(crate) struct Compiled {
    pub(crate) items: Vec<Item>,
    pub(crate) infos: Vec<Arc<NodeInfo>>,
    pub(crate) edges: Vec<Edge>,
    pub(crate) controls: Vec<u32>,
    pub(crate) frames: Vec<Frame>,
    /// Nodes without inputs; what may wait comes last, because the last is run first.
    pub(crate) roots: Vec<u32>,
    pub(crate) num_args: usize,
    pub(crate) num_retvals: usize,
    /// Per node where its inputs come from, for labels.
    pub(crate) inputs: Vec<Vec<Endpoint>>,
}

impl Compiled {
    /// Checks the graph and makes its kernels.
    pub(crate) fn new(graph: &NodeGraph, params: &ExecutorParams) -> Result<Compiled> {
        graph.validate()?;
        refuse_cycles(graph)?;
        let tree = frame_tree(graph)?;
        let mut frames: Vec<Frame> = tree
            .frames
            .iter()
            .map(|f| Frame {
                parallel_iterations: f.parallel_iterations,
                name_hash: name_hash(&f.name),
                enters: 0,
                exits: Vec::new(),
                pending: Vec::new(),
                slots: 0,
            })
            .collect();
        let mut compiled = Compiled {
            items: Vec::with_capacity(graph.len()),
            infos: graph.nodes().iter().map(|n| n.info.clone()).collect(),
            edges: Vec::new(),
            controls: Vec::new(),
            frames: Vec::new(),
            roots: Vec::new(),
            num_args: 0,
            num_retvals: 0,
            inputs: graph.nodes().iter().map(|n| n.inputs.clone()).collect(),
        };
        let mut arg_uses: Vec<u32> = Vec::new();
        let late = late_reads(graph);
        for (id, node) in graph.iter() {
            let info = &node.info;
            let kind = if late[id.index()] { Kind::LateRead } else { Kind::of(info) };
            let at = |e: ferroflow_tensor::Error| e.at_node(&info.name);
            let frame = &mut frames[tree.frame_of[id.index()] as usize];
            let mut item = Item {
                kind,
                cost: Cost::Inline,
                is_async: kind == Kind::Call,
                pace: Pace::default(),
                refs: match node.inputs.iter().any(|e| graph.endpoint_type(*e).is_ref || late[e.node.index()]) {
                    false => Refs::None,
                    // It is read when it is received.
                    true if kind == Kind::Transfer => Refs::None,
                    true if info.input_types.iter().any(|t| t.is_ref) => Refs::ByInput,
                    true => Refs::Read,
                },
                local: frame.pending.len() as u32,
                first_slot: frame.slots as u32,
                num_inputs: node.inputs.len() as u32,
                num_outputs: info.output_types.len() as u32,
                edges: (0, 0),
                controls: (0, 0),
                index: 0,
                flag: false,
                function: None,
                kernel: None,
            };
            let controls = node.control_inputs.len() as u32;
            let data = if kind == Kind::Merge { 1 } else { item.num_inputs };
            frame.pending.push(Pending { left: controls + data, mark: 0 });
            frame.slots += node.inputs.len();
            match kind {
                Kind::Kernel | Kind::Transfer => {
                    let kernel = params.kernels.get(info, &params.device, params.functions.as_ref()).map_err(at)?;
                    item.cost = kernel.cost;
                    match kernel.kernel {
                        BuiltKernel::Function(f) => item.function = Some(f),
                        BuiltKernel::Sync(_) => {}
                        BuiltKernel::Async(_) => item.is_async = true,
                    }
                    item.kernel = Some(kernel);
                }
                Kind::Call => item.cost = Cost::Heavy,
                Kind::Arg | Kind::Retval => {
                    let index = info.attrs.count("index").map_err(at)?;
                    if index >= MOST_ARGS {
                        return Err(at(invalid_argument(format!("index {index} is out of range, there can be {MOST_ARGS} arguments"))));
                    }
                    item.index = index as u32;
                    let count = if kind == Kind::Arg { &mut compiled.num_args } else { &mut compiled.num_retvals };
                    *count = (*count).max(index + 1);
                    if kind == Kind::Arg {
                        arg_uses.resize(compiled.num_args, 0);
                        arg_uses[index] += 1;
                    }
                }
                Kind::Enter => {
                    item.index = tree.output_frame[id.index()];
                    item.flag = info.attrs.bool("is_constant").unwrap_or(false);
                    frames[item.index as usize].enters += 1;
                }
                Kind::Exit => frame.exits.push(id.0),
                _ => {}
            }
            compiled.items.push(item);
        }
        compiled.frames = frames;
        compiled.link(graph);
        compiled.collect_roots(graph);
        for item in compiled.items.iter_mut().filter(|i| i.kind == Kind::Arg) {
            item.flag = arg_uses[item.index as usize] == 1;
        }
        Ok(compiled)
    }

    /// Lays out the edges, grouped by producer and output.
    fn link(&mut self, graph: &NodeGraph) {
        let mut edges: Vec<(u32, Edge)> = Vec::new();
        let mut controls: Vec<(u32, u32)> = Vec::new();
        for (id, node) in graph.iter() {
            for (input, from) in node.inputs.iter().enumerate() {
                edges.push((from.node.0, Edge { to: id.0, input: input as u32, output: from.index, last: false }));
            }
            controls.extend(node.control_inputs.iter().map(|c| (c.0, id.0)));
        }
        edges.sort_by_key(|(from, e)| (*from, e.output));
        controls.sort_by_key(|c| c.0);
        for i in 0..edges.len() {
            let (from, output) = (edges[i].0, edges[i].1.output);
            edges[i].1.last = edges.get(i + 1).is_none_or(|(f, e)| (*f, e.output) != (from, output));
        }
        let (mut e, mut c) = (0, 0);
        for (i, item) in self.items.iter_mut().enumerate() {
            let (edges_start, controls_start) = (e, c);
            while edges.get(e).is_some_and(|x| x.0 == i as u32) {
                e += 1;
            }
            while controls.get(c).is_some_and(|x| x.0 == i as u32) {
                c += 1;
            }
            item.edges = (edges_start as u32, e as u32);
            item.controls = (controls_start as u32, c as u32);
            if item.kind == Kind::Merge {
                item.flag = edges[edges_start..e].iter().any(|x| x.1.output == 1);
            }
        }
        self.edges = edges.into_iter().map(|x| x.1).collect();
        self.controls = controls.into_iter().map(|x| x.1).collect();
    }

    fn collect_roots(&mut self, graph: &NodeGraph) {
        let is_root = |i: &u32| graph.nodes()[*i as usize].inputs.is_empty() && graph.nodes()[*i as usize].control_inputs.is_empty();
        let waits = |i: &u32| self.items[*i as usize].is_async;
        // Pushed in reverse, because the stack hands out the last first; a merge of nothing cannot exist.
        let (late, early): (Vec<u32>, Vec<u32>) = (0..self.items.len() as u32).rev().filter(is_root).partition(waits);
        self.roots = early.into_iter().chain(late).collect();
    }

    pub(crate) fn edges_of(&self, item: &Item) -> &[Edge] {
        &self.edges[item.edges.0 as usize..item.edges.1 as usize]
    }

    pub(crate) fn controls_of(&self, item: &Item) -> &[u32] {
        &self.controls[item.controls.0 as usize..item.controls.1 as usize]
    }

    /// What a timeline shows for a node.
    pub(crate) fn label(&self, node: u32) -> String {
        let info = &self.infos[node as usize];
        let inputs: Vec<String> = self.inputs[node as usize]
            .iter()
            .map(|e| {
                let name = &self.infos[e.node.index()].name;
                if e.index == 0 { name.to_string() } else { format!("{name}:{}", e.index) }
            })
            .collect();
        format!("{} = {}({})", info.name, info.op_name(), inputs.join(", "))
    }
}

/// Per node whether it is an `Identity` of a reference, or of such an `Identity`.
///
/// In TensorFlow its output is the variable's own memory, so that whoever uses `v/read` sees what `v` holds by then. Programs rest on
/// that: the chief of synchronous replicas fills its tokens from a `global_step/read` that nothing orders after the increment. Here
/// such a node hands the reference on, and each consumer reads it when it runs.
fn late_reads(graph: &NodeGraph) -> Vec<bool> {
    let mut late = vec![false; graph.len()];
    let identities: Vec<_> =
        graph.iter().filter(|(_, n)| n.info.op_name() == "Identity" && n.inputs.len() == 1).map(|(id, n)| (id, n.inputs[0])).collect();
    loop {
        let mut changed = false;
        for (id, from) in &identities {
            if !late[id.index()] && (graph.endpoint_type(*from).is_ref || late[from.node.index()]) {
                late[id.index()] = true;
                changed = true;
            }
        }
        if !changed {
            return late;
        }
    }
}
