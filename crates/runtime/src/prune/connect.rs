//! Tensor connections: a run that takes one tensor of the graph in the place of another (TF: `TensorConnection`, `TensorConnectionPruneRewrite`).

use super::reach::Reach;
use crate::rewrite_node::NodeMaker;
use ferroflow_graph::graph_def::refuse_cycles;
use ferroflow_graph::{Endpoint, Node, NodeGraph, NodeId, parse_tensor_name};
use ferroflow_tensor::error::{internal, invalid_argument};
use ferroflow_tensor::{DType, Error, Result};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

/// A tensor of the graph that is used wherever another one is named.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TensorConnection {
    /// The tensor that is used, `name:index`.
    pub from: String,
    /// The tensor that it stands for.
    pub to: String,
}

/// The connections of a run, found in its graph. A connection is a feed, too: one whose value comes from the graph.
pub(super) struct Connections<'a> {
    written: &'a [TensorConnection],
    sources: Vec<Endpoint>,
    /// Number of the first connection among the feeds: those of the client come before.
    first: usize,
    /// The identities that stand for the connections that are used, by number.
    made: BTreeMap<usize, NodeId>,
}

impl<'a> Connections<'a> {
    /// Errors: `InvalidArgument` for a source that the graph has not.
    pub fn find(graph: &NodeGraph, written: &'a [TensorConnection], first: usize) -> Result<Connections<'a>> {
        let source = |c: &TensorConnection| {
            let (from, to) = (&c.from, &c.to);
            let (name, index) = parse_tensor_name(from)?;
            let unknown =
                |what, why| invalid_argument(format!("Requested tensor connection from unknown {what}: \"{from}\" to \"{to}\"{why}."));
            if from == to {
                return Err(cyclic(c));
            }
            let node = graph.find(name).ok_or_else(|| unknown("node", String::new()))?;
            match graph.node(node).info.output_types.len() {
                outputs if index as usize >= outputs => Err(unknown("edge", format!(" (actual number of outputs = {outputs})"))),
                _ => Ok(Endpoint { node, index }),
            }
        };
        let sources = written.iter().map(source).collect::<Result<_>>()?;
        Ok(Connections { written, sources, first, made: BTreeMap::new() })
    }

    /// What the roots depend on, with what the connections that are used depend on.
    pub fn reach<'f>(&self, graph: &NodeGraph, feeds: &'f [Endpoint], mut roots: Vec<NodeId>) -> Reach<'f> {
        let mut followed = HashSet::new();
        loop {
            let reach = Reach::backwards(graph, feeds, roots.iter().copied());
            let used = (0..self.sources.len()).filter(|i| reach.uses_feed(self.first + i));
            let more: Vec<NodeId> = used.filter(|&i| followed.insert(i)).map(|i| self.sources[i].node).collect();
            if more.is_empty() {
                return reach;
            }
            roots.extend(more);
        }
    }

    /// Adds the identity that stands for a connection, on the device of its source; its input comes later.
    pub fn add(&mut self, graph: &NodeGraph, out: &mut NodeGraph, feed: usize, name: String, maker: &NodeMaker) -> Result<NodeId> {
        let source = self.sources[feed - self.first];
        let from = graph.node(source.node);
        let dtype: DType = graph.endpoint_type(source).dtype;
        let device: &Arc<str> = &from.assigned_device;
        let identity =
            Node { requested_device: from.requested_device.clone(), ..maker.typed(name, "Identity", dtype, Vec::new(), device)? };
        let id = out.add(identity)?;
        self.made.insert(feed, id);
        Ok(id)
    }

    /// Gives the identities their inputs. A source that is itself fed hands on what it is fed.
    ///
    /// Errors: `InvalidArgument` if a connection leads back to itself.
    pub fn close(
        &self,
        out: &mut NodeGraph,
        feeds: &[Endpoint],
        feed_nodes: &HashMap<usize, NodeId>,
        new_ids: &HashMap<NodeId, NodeId>,
    ) -> Result<()> {
        for (feed, &identity) in &self.made {
            let source = self.sources[feed - self.first];
            let fed = || feeds.iter().position(|f| *f == source).and_then(|i| feed_nodes.get(&i));
            let from = match new_ids.get(&source.node) {
                Some(&node) => Endpoint { node, index: source.index },
                None => match fed() {
                    Some(&node) => Endpoint { node, index: 0 },
                    None => {
                        return Err(internal(format!("the source of a connection, {}, was pruned", self.written[feed - self.first].from)));
                    }
                },
            };
            out.node_mut(identity).inputs.push(from);
        }
        match self.made.keys().next() {
            Some(&one) => refuse_cycles(out).map_err(|_| cyclic(&self.written[one - self.first])),
            None => Ok(()),
        }
    }
}

fn cyclic(TensorConnection { from, to }: &TensorConnection) -> Error {
    invalid_argument(format!("Requested Tensor connection between \"{from}\" and \"{to}\" would create a cycle."))
}
