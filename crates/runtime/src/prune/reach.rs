//! What a run's fetches and targets depend on, and copying it.

use crate::rewrite_node::add_control_input;
use ferroflow_graph::{Endpoint, Node, NodeGraph, NodeId};
use ferroflow_tensor::Result;
use ferroflow_tensor::error::invalid_argument;
use std::collections::HashMap;

/// Whether a control edge from this node is taken over by its feed: a placeholder does nothing but stand for what is fed.
fn is_placeholder(node: &Node) -> bool {
    matches!(node.info.op_name(), "Placeholder" | "PlaceholderV2")
}

/// The nodes and feeds that some roots depend on.
pub(super) struct Reach<'a> {
    /// Which feed stands for an endpoint.
    feed_of: HashMap<Endpoint, usize>,
    /// Which feed takes over the control edges of a placeholder.
    control_feed_of: HashMap<NodeId, usize>,
    reached: Vec<bool>,
    used: Vec<bool>,
    feeds: &'a [Endpoint],
}

impl<'a> Reach<'a> {
    /// Follows data and control edges backwards from `roots`, stopping at feeds.
    pub fn backwards(graph: &NodeGraph, feeds: &'a [Endpoint], roots: impl Iterator<Item = NodeId>) -> Reach<'a> {
        let mut reach = Reach {
            feed_of: feeds.iter().enumerate().map(|(i, &e)| (e, i)).collect(),
            control_feed_of: HashMap::new(),
            reached: vec![false; graph.len()],
            used: vec![false; feeds.len()],
            feeds,
        };
        for (i, e) in feeds.iter().enumerate() {
            if is_placeholder(graph.node(e.node)) {
                reach.control_feed_of.insert(e.node, i);
            }
        }
        let mut stack: Vec<NodeId> = Vec::new();
        for root in roots {
            // A fed placeholder as a target has nothing to do.
            match reach.control_feed_of.get(&root) {
                Some(&i) => reach.used[i] = true,
                None => reach.visit(root, &mut stack),
            }
        }
        while let Some(id) = stack.pop() {
            let node = graph.node(id);
            for e in &node.inputs {
                match reach.feed_of.get(e) {
                    Some(&i) => reach.used[i] = true,
                    None => reach.visit(e.node, &mut stack),
                }
            }
            for c in &node.control_inputs {
                match reach.control_feed_of.get(c) {
                    Some(&i) => reach.used[i] = true,
                    None => reach.visit(*c, &mut stack),
                }
            }
        }
        reach
    }

    fn visit(&mut self, id: NodeId, stack: &mut Vec<NodeId>) {
        if !std::mem::replace(&mut self.reached[id.index()], true) {
            stack.push(id);
        }
    }

    /// Whether anything depends on feed `i`.
    pub fn uses_feed(&self, i: usize) -> bool {
        self.used[i]
    }

    /// Copies the reached nodes, their edges bent to the nodes that stand for feeds. Returns the new ids by the old ones.
    pub fn copy_into(
        &self,
        graph: &NodeGraph,
        out: &mut NodeGraph,
        feed_nodes: &HashMap<usize, NodeId>,
    ) -> Result<HashMap<NodeId, NodeId>> {
        debug_assert_eq!(self.feeds.len(), self.used.len());
        let first = out.len();
        let reached: Vec<NodeId> = graph.iter().map(|(id, _)| id).filter(|id| self.reached[id.index()]).collect();
        let new_ids: HashMap<NodeId, NodeId> = reached.iter().enumerate().map(|(i, &old)| (old, NodeId((first + i) as u32))).collect();
        for &old in &reached {
            let node = graph.node(old);
            let mut copy = Node { inputs: Vec::with_capacity(node.inputs.len()), control_inputs: Vec::new(), ..node.clone() };
            for e in &node.inputs {
                copy.inputs.push(match self.feed_of.get(e) {
                    Some(i) => Endpoint { node: feed_nodes[i], index: 0 },
                    None => Endpoint { node: new_ids[&e.node], index: e.index },
                });
            }
            for c in &node.control_inputs {
                let from = match self.control_feed_of.get(c) {
                    Some(i) => feed_nodes[i],
                    None => new_ids[c],
                };
                add_control_input(&mut copy, from);
            }
            out.add(copy)?;
        }
        Ok(new_ids)
    }
}

/// Whether `fetches` can be computed although `unfed` tensors have no value yet; for partial runs.
///
/// Errors: `InvalidArgument` naming a fetch that depends on an unfed tensor.
pub fn check_computable(graph: &NodeGraph, fetches: &[String], fed: &[String], unfed: &[String]) -> Result<()> {
    let endpoints = |names: &[String]| names.iter().map(|n| graph.endpoint(n)).collect::<Result<Vec<_>>>();
    let (fed, unfed) = (endpoints(fed)?, endpoints(unfed)?);
    let stops: Vec<Endpoint> = fed.iter().chain(&unfed).copied().collect();
    for fetch in fetches {
        let root = graph.endpoint(fetch)?.node;
        let reach = Reach::backwards(graph, &stops, std::iter::once(root));
        if (fed.len()..stops.len()).any(|i| reach.uses_feed(i)) {
            return Err(invalid_argument(format!("Fetch {fetch} can't be computed from the feeds that have been fed so far.")));
        }
    }
    Ok(())
}
