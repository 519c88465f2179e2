//! The cutting itself: nodes are sorted into parts, edges between parts become transfers.

use super::PartitionOptions;
use super::control_loops::Triggers;
use super::frames::{FrameId, Frames, ROOT};
use crate::rewrite_node::{NodeMaker, Transfer, add_control_input};
use ferroflow_graph::{Endpoint, Node, NodeGraph, NodeId};
use ferroflow_tensor::error::internal;
use ferroflow_tensor::{DType, Result};
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// What is shared by several consumers in one part: a received output, or the identity behind a received control edge.
#[derive(PartialEq, Eq, Hash)]
enum Shared {
    Data { from: Endpoint, part: Arc<str>, on_host: bool },
    Control { from: Vec<NodeId>, part: Arc<str> },
}

/// Where a transferred value is needed.
struct Destination {
    part: Arc<str>,
    device: Arc<str>,
    frame: FrameId,
}

struct Cutter<'a, 'o> {
    graph: &'a NodeGraph,
    frames: &'a Frames,
    triggers: &'a Triggers,
    options: &'a mut PartitionOptions<'o>,
    /// Per part its nodes, so far.
    pieces: BTreeMap<Arc<str>, Vec<Node>>,
    /// Part and new id of every node.
    places: Vec<(Arc<str>, NodeId)>,
    shared: HashMap<Shared, NodeId>,
    edges: u64,
}

/// Cuts the graph into one graph per part.
pub(super) fn cut(
    graph: &NodeGraph,
    frames: &Frames,
    parts: &HashMap<Arc<str>, Arc<str>>,
    triggers: &Triggers,
    options: &mut PartitionOptions,
) -> Result<BTreeMap<Arc<str>, NodeGraph>> {
    let mut pieces: BTreeMap<Arc<str>, Vec<Node>> = BTreeMap::new();
    let mut places = Vec::with_capacity(graph.len());
    for node in graph.nodes() {
        let part = parts[&node.assigned_device].clone();
        let piece = pieces.entry(part.clone()).or_default();
        places.push((part, NodeId(piece.len() as u32)));
        piece.push(Node { inputs: Vec::with_capacity(node.inputs.len()), control_inputs: Vec::new(), ..node.clone() });
    }
    let mut cutter = Cutter { graph, frames, triggers, options, pieces, places, shared: HashMap::new(), edges: 0 };
    for (id, node) in graph.iter() {
        for (slot, &from) in node.inputs.iter().enumerate() {
            let source = cutter.data_source(from, id, slot)?;
            cutter.copy_of(id).inputs.push(source);
        }
        for source in cutter.control_sources(id, &cutter.destination(id))? {
            add_control_input(cutter.copy_of(id), source);
        }
    }
    let mut graphs = BTreeMap::new();
    for (part, nodes) in cutter.pieces {
        let mut piece = NodeGraph::new();
        for node in nodes {
            piece.add(node)?;
        }
        graphs.insert(part, piece);
    }
    Ok(graphs)
}

impl Cutter<'_, '_> {
    fn copy_of(&mut self, id: NodeId) -> &mut Node {
        let (part, new) = &self.places[id.index()];
        // The part and the place were made together with the copy.
        match self.pieces.get_mut(part).and_then(|p| p.get_mut(new.index())) {
            Some(node) => node,
            None => unreachable!("every node has a copy"),
        }
    }

    fn push(&mut self, part: &Arc<str>, node: Node) -> NodeId {
        let piece = self.pieces.entry(part.clone()).or_default();
        piece.push(node);
        NodeId(piece.len() as u32 - 1)
    }

    /// Where input `slot` of `to` comes from in the part of `to`.
    fn data_source(&mut self, from: Endpoint, to: NodeId, slot: usize) -> Result<Endpoint> {
        let (source_part, source) = self.places[from.node.index()].clone();
        let part = self.places[to.index()].0.clone();
        if source_part == part {
            return Ok(Endpoint { node: source, index: from.index });
        }
        let ty = self.graph.endpoint_type(from);
        let on_host = matches!(self.graph.node(to).info.op_name(), "Switch" | "RefSwitch") && slot == 1;
        let key = Shared::Data { from, part: part.clone(), on_host };
        if let Some(&recv) = self.shared.get(&key) {
            return Ok(Endpoint { node: recv, index: 0 });
        }
        // A reference is read each time that it is sent, and not before what the consumer waits for: its consumers may be meant to
        // see different values.
        let mut after = Vec::new();
        if ty.is_ref {
            let device = self.graph.node(from.node).assigned_device.clone();
            let sender = Destination { part: source_part.clone(), device, frame: self.frames.input_frame(self.graph, to) };
            after = self.control_sources(to, &sender)?;
        }
        let value = Endpoint { node: source, index: from.index };
        let recv = self.transfer(value, &source_part, from.node, &self.destination(to), ty.dtype, on_host, &after)?;
        if !ty.is_ref {
            self.shared.insert(key, recv);
        }
        Ok(Endpoint { node: recv, index: 0 })
    }

    /// Where the inputs of `to` are needed.
    fn destination(&self, to: NodeId) -> Destination {
        Destination {
            part: self.places[to.index()].0.clone(),
            device: self.graph.node(to).assigned_device.clone(),
            frame: self.frames.input_frame(self.graph, to),
        }
    }

    /// The nodes at the destination that run after the control inputs of `of`. Those of one other part are told together.
    fn control_sources(&mut self, of: NodeId, to: &Destination) -> Result<Vec<NodeId>> {
        let mut here = Vec::new();
        let mut elsewhere: BTreeMap<Arc<str>, Vec<NodeId>> = BTreeMap::new();
        for &from in &self.graph.node(of).control_inputs {
            let (part, source) = &self.places[from.index()];
            if *part == to.part {
                here.push(*source);
            } else {
                elsewhere.entry(part.clone()).or_default().push(from);
            }
        }
        for (part, from) in elsewhere {
            here.push(self.signal(from, &part, to)?);
        }
        Ok(here)
    }

    /// The node at the destination that runs after all of `from`, which are nodes of another part.
    fn signal(&mut self, mut from: Vec<NodeId>, source_part: &Arc<str>, to: &Destination) -> Result<NodeId> {
        from.sort_unstable();
        let key = Shared::Control { from: from.clone(), part: to.part.clone() };
        if let Some(&identity) = self.shared.get(&key) {
            return Ok(identity);
        }
        let Some(&first) = from.first() else { return Err(internal("a control edge without a source")) };
        let maker = NodeMaker { registry: self.options.registry };
        let from_node = self.graph.node(first);
        let mut signal = maker.dummy_constant((self.options.new_name)(&from_node.info.name), &from_node.assigned_device)?;
        signal.control_inputs.extend(from.iter().map(|id| self.places[id.index()].1));
        let signal = self.push(source_part, signal);
        let recv = self.transfer(Endpoint { node: signal, index: 0 }, source_part, first, to, DType::Float, false, &[])?;
        let name = (self.options.new_name)(&from_node.info.name);
        let identity = maker.typed(name, "Identity", DType::Float, vec![Endpoint { node: recv, index: 0 }], &to.device)?;
        let identity = self.push(&to.part, identity);
        self.shared.insert(key, identity);
        Ok(identity)
    }

    /// Adds a send of `value`, after these nodes, to the part of `from`, and a receive to the destination; returns the receive.
    #[allow(clippy::too_many_arguments, reason = "what there is to say about one transfer")]
    fn transfer(
        &mut self,
        value: Endpoint,
        source_part: &Arc<str>,
        from: NodeId,
        to: &Destination,
        dtype: DType,
        on_host: bool,
        after: &[NodeId],
    ) -> Result<NodeId> {
        let from_node = self.graph.node(from);
        let maker = NodeMaker { registry: self.options.registry };
        let tensor_name = format!("edge_{}_{}", self.edges, from_node.info.name);
        self.edges += 1;
        let transfer = Transfer {
            dtype,
            tensor_name: &tensor_name,
            send_device: &from_node.assigned_device,
            send_incarnation: (self.options.incarnation)(&from_node.assigned_device)?,
            recv_device: &to.device,
            client_terminated: false,
        };
        let mut send = maker.send((self.options.new_name)(&from_node.info.name), &transfer, value, &from_node.assigned_device)?;
        let mut recv = maker.recv((self.options.new_name)(&from_node.info.name), &transfer, on_host, &to.device)?;
        after.iter().for_each(|&node| add_control_input(&mut send, node));
        if to.frame != ROOT
            && let Some(trigger) = self.triggers.get(&(to.frame, to.part.clone()))
        {
            recv.control_inputs.push(self.places[trigger.index()].1);
        }
        self.push(source_part, send);
        Ok(self.push(&to.part, recv))
    }
}
