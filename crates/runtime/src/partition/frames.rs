//! Which loop frame each node belongs to (TF: `ControlFlowInfo`, `BuildControlFlowInfo`).

use ferroflow_graph::{Node, NodeGraph, NodeId};
use ferroflow_tensor::Result;
use ferroflow_tensor::error::invalid_argument;
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

/// Index of a frame; 0 is the root.
pub(super) type FrameId = usize;

/// The frame outside all loops.
pub(super) const ROOT: FrameId = 0;

/// One loop frame.
#[derive(Clone)]
pub(super) struct Frame {
    pub name: String,
    pub parent: FrameId,
    pub parallel_iterations: i64,
    pub loop_cond: Option<NodeId>,
}

/// The frames of a graph.
pub(super) struct Frames {
    of_node: Vec<FrameId>,
    frames: Vec<Frame>,
}

pub(super) fn is_enter(node: &Node) -> bool {
    matches!(node.info.op_name(), "Enter" | "RefEnter")
}

fn is_exit(node: &Node) -> bool {
    matches!(node.info.op_name(), "Exit" | "RefExit")
}

impl Frames {
    /// Walks the graph from its sources.
    ///
    /// Errors: `InvalidArgument` for an edge that leaves or enters a frame other than through `Enter` and `Exit`.
    pub fn of(graph: &NodeGraph) -> Result<Frames> {
        let root = Frame { name: String::new(), parent: ROOT, parallel_iterations: 1, loop_cond: None };
        let mut frames = Frames { of_node: vec![ROOT; graph.len()], frames: vec![root] };
        if !graph.nodes().iter().any(is_enter) {
            return Ok(frames);
        }
        frames.walk(graph)?;
        frames.check(graph)?;
        for (id, node) in graph.iter() {
            if node.info.op_name() == "LoopCond" {
                let frame = frames.of_node[id.index()];
                frames.frames[frame].loop_cond = Some(id);
            }
        }
        Ok(frames)
    }

    fn walk(&mut self, graph: &NodeGraph) -> Result<()> {
        let mut consumers = vec![Vec::new(); graph.len()];
        let mut queue = VecDeque::new();
        let mut visited = vec![false; graph.len()];
        for (id, node) in graph.iter() {
            sources(node).for_each(|from| consumers[from.index()].push(id));
            if node.inputs.is_empty() && node.control_inputs.is_empty() {
                visited[id.index()] = true;
                queue.push_back(id);
            }
        }
        let mut known: HashMap<(FrameId, String), FrameId> = HashMap::new();
        while let Some(id) = queue.pop_front() {
            let frame = self.output_frame(graph, id);
            for &to in &consumers[id.index()] {
                if std::mem::replace(&mut visited[to.index()], true) {
                    continue;
                }
                let node = graph.node(to);
                self.of_node[to.index()] = if is_enter(node) {
                    let name = node.info.attrs.str("frame_name").map_err(|e| e.at_node(&node.info.name))?.to_owned();
                    *known.entry((frame, name.clone())).or_insert_with(|| {
                        let parallel_iterations = node.info.attrs.int("parallel_iterations").unwrap_or(10);
                        self.frames.push(Frame { name, parent: frame, parallel_iterations, loop_cond: None });
                        self.frames.len() - 1
                    })
                } else {
                    frame
                };
                queue.push_back(to);
            }
        }
        Ok(())
    }

    fn check(&self, graph: &NodeGraph) -> Result<()> {
        for (id, node) in graph.iter() {
            for from in sources(node) {
                let (have, want) = (self.output_frame(graph, from), self.input_frame(graph, id));
                if have != want {
                    return Err(invalid_argument(format!(
                        "{{{{node {}}}}} has inputs from different frames. The input {{{{node {}}}}} is in frame '{}'. The node is in frame '{}'.",
                        node.info.name,
                        graph.node(from).info.name,
                        self.frames[have].name,
                        self.frames[want].name
                    )));
                }
            }
        }
        Ok(())
    }

    /// Whether there is any loop.
    pub fn has_loops(&self) -> bool {
        self.frames.len() > 1
    }

    /// A frame.
    pub fn frame(&self, id: FrameId) -> &Frame {
        &self.frames[id]
    }

    /// The frame in which a node's inputs arrive: for `Enter` the surrounding one.
    pub fn input_frame(&self, graph: &NodeGraph, id: NodeId) -> FrameId {
        let own = self.of_node[id.index()];
        if is_enter(graph.node(id)) { self.frames[own].parent } else { own }
    }

    /// The frame in which a node's outputs appear: for `Exit` the surrounding one.
    pub fn output_frame(&self, graph: &NodeGraph, id: NodeId) -> FrameId {
        let own = self.of_node[id.index()];
        if is_exit(graph.node(id)) { self.frames[own].parent } else { own }
    }

    /// Notes the frame of a node that was just added to the graph.
    pub fn push(&mut self, frame: FrameId) {
        self.of_node.push(frame);
    }

    /// Moves what enters and leaves iterations to where its neighbour is, so that edges are cut inside or outside of a loop but not
    /// on its border: `Enter` and `NextIteration` to their consumer, `Switch` and `Exit` to their data input.
    pub fn move_loop_ends(&self, graph: &mut NodeGraph) {
        let mut consumer: HashMap<NodeId, NodeId> = HashMap::new();
        for (id, node) in graph.iter() {
            for e in &node.inputs {
                consumer.entry(e.node).or_insert(id);
            }
        }
        for id in (0..graph.len() as u32).map(NodeId) {
            if self.of_node[id.index()] == ROOT {
                continue;
            }
            let node = graph.node(id);
            let neighbour = match node.info.op_name() {
                "Enter" | "NextIteration" => consumer.get(&id).copied(),
                "Switch" | "Exit" => node.inputs.first().map(|e| e.node),
                _ => None,
            };
            if let Some(neighbour) = neighbour {
                let device: Arc<str> = graph.node(neighbour).assigned_device.clone();
                graph.node_mut(id).assigned_device = device;
            }
        }
    }
}

fn sources(node: &Node) -> impl Iterator<Item = NodeId> {
    node.inputs.iter().map(|e| e.node).chain(node.control_inputs.iter().copied())
}
