//! Cutting out of a client's graph what one run needs (TF: `RewriteGraphForExecution`, `PruneForReverseReachability`).
//!
//! Fed tensors are replaced by nodes that take them from the client, fetched tensors get nodes that hand them over, and
//! whatever is not needed for fetches and targets is left out. The client's graph is not copied: only what is reached is.

mod connect;
mod reach;

use crate::rewrite_node::{NodeMaker, Transfer};
use connect::Connections;
use ferroflow_graph::kernel::DeviceInfo;
use ferroflow_graph::{Endpoint, NodeGraph, NodeId, OpRegistry, parse_tensor_name};
use ferroflow_tensor::error::{invalid_argument, not_found};
use ferroflow_tensor::{DType, Result};
use std::collections::{HashMap, HashSet};

pub use connect::TensorConnection;
pub use reach::check_computable;

/// What one run names: tensors to feed, tensors to fetch, nodes to run (TF: `BuildGraphOptions`, `CallableOptions`).
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Signature {
    /// Fed tensors, `name:index`.
    pub feeds: Vec<String>,
    /// Fetched tensors, `name:index`.
    pub fetches: Vec<String>,
    /// Nodes to run.
    pub targets: Vec<String>,
    /// Tensors that take the place of others.
    pub connections: Vec<TensorConnection>,
}

/// How the values of feeds and fetches reach the graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FeedFetch {
    /// By `_Arg` and `_Retval`: by index in a call frame. For the task that the client talks to.
    CallFrame,
    /// By client-terminated `_Recv` and `_Send`: by key, as TF's masters do towards workers.
    Rendezvous,
}

/// What [`prune`] returns.
pub struct Pruned {
    /// The nodes that the run needs, with those that feed and fetch.
    pub graph: NodeGraph,
    /// Type of each feed, in the order of the signature.
    pub feed_types: Vec<DType>,
    /// Type of each fetch, in the order of the signature.
    pub fetch_types: Vec<DType>,
}

/// `name:index` for `name` as well as for `name:index`, so that both mean one tensor.
pub fn normalized_tensor_name(name: &str) -> String {
    match parse_tensor_name(name) {
        Ok((node, index)) if node.len() != name.len() || index != 0 => format!("{node}:{index}"),
        _ => format!("{name}:0"),
    }
}

impl Signature {
    /// The same with every tensor name as `name:index`.
    pub fn normalized(mut self) -> Signature {
        let connected = self.connections.iter_mut().flat_map(|c| [&mut c.from, &mut c.to]);
        for name in self.feeds.iter_mut().chain(&mut self.fetches).chain(connected) {
            *name = normalized_tensor_name(name);
        }
        self
    }
}

/// Cuts out what a run needs. Feeds and fetches are bound to `client`, the device that the client's tensors live on.
///
/// Errors: TF's: `InvalidArgument` for a tensor fed twice, fed and fetched, without outputs, or nothing to run;
/// `NotFound` for unknown names.
pub fn prune(graph: &NodeGraph, signature: &Signature, mode: FeedFetch, client: &DeviceInfo, registry: &OpRegistry) -> Result<Pruned> {
    let signature = signature.clone().normalized();
    if signature.fetches.is_empty() && signature.targets.is_empty() {
        return Err(invalid_argument("Must specify at least one target to fetch or execute."));
    }
    let client_feeds = signature.feeds.len();
    let fed: Vec<&String> = signature.feeds.iter().chain(signature.connections.iter().map(|c| &c.to)).collect();
    let feeds = find_feeds(graph, &fed, &signature.fetches)?;
    let mut connections = Connections::find(graph, &signature.connections, client_feeds)?;
    let fetches = find_fetches(graph, &signature)?;
    let targets = find_targets(graph, &signature.targets)?;
    let reach = connections.reach(graph, &feeds, fetches.iter().map(|e| e.node).chain(targets).collect());

    let maker = NodeMaker { registry };
    let device = &client.name;
    let mut out = NodeGraph::new();
    out.library = graph.library.clone();
    out.versions = graph.versions.clone();
    let mut feed_types = Vec::with_capacity(client_feeds);
    let mut feed_nodes = HashMap::with_capacity(feeds.len());
    for (i, (&fed, text)) in feeds.iter().zip(&fed).enumerate() {
        let dtype = graph.endpoint_type(fed).dtype;
        if i < client_feeds {
            feed_types.push(dtype);
        }
        if !reach.uses_feed(i) {
            continue;
        }
        let (node, index) = parse_tensor_name(text)?;
        if i >= client_feeds {
            let name = unused(graph, format!("_identity_{node}_{index}"));
            feed_nodes.insert(i, connections.add(graph, &mut out, i, name, &maker)?);
            continue;
        }
        let made = match mode {
            FeedFetch::CallFrame => maker.arg(unused(graph, format!("_arg_{node}_{index}_{i}")), dtype, i, device)?,
            FeedFetch::Rendezvous => {
                maker.recv(unused(graph, format!("_recv_{node}_{index}")), &Transfer::with_client(dtype, text, client), false, device)?
            }
        };
        feed_nodes.insert(i, out.add(made)?);
    }
    let new_ids = reach.copy_into(graph, &mut out, &feed_nodes)?;
    connections.close(&mut out, &feeds, &feed_nodes, &new_ids)?;
    let mut fetch_types = Vec::with_capacity(fetches.len());
    for (i, (&fetched, text)) in fetches.iter().zip(&signature.fetches).enumerate() {
        let dtype = graph.endpoint_type(fetched).dtype;
        fetch_types.push(dtype);
        let (node, index) = parse_tensor_name(text)?;
        let from = Endpoint { node: new_ids[&fetched.node], index: fetched.index };
        let made = match mode {
            FeedFetch::CallFrame => maker.retval(unused(graph, format!("_retval_{node}_{index}_{i}")), dtype, i, from, device)?,
            FeedFetch::Rendezvous => {
                maker.send(unused(graph, format!("_send_{node}_{index}")), &Transfer::with_client(dtype, text, client), from, device)?
            }
        };
        out.add(made)?;
    }
    out.validate()?;
    Ok(Pruned { graph: out, feed_types, fetch_types })
}

/// A name like `wanted` that the graph does not have.
fn unused(graph: &NodeGraph, wanted: String) -> String {
    let mut name = wanted;
    while graph.find(&name).is_some() {
        name.push('_');
    }
    name
}

fn find_feeds(graph: &NodeGraph, feeds: &[&String], fetches: &[String]) -> Result<Vec<Endpoint>> {
    let mut seen = HashSet::new();
    let mut found = Vec::with_capacity(feeds.len());
    for text in feeds.iter().copied() {
        let (name, index) = parse_tensor_name(text)?;
        let node = graph.find(name).ok_or_else(|| not_found(format!("FeedInputs: unable to find feed output {text}")))?;
        let outputs = graph.node(node).info.output_types.len();
        if index as usize >= outputs {
            return Err(invalid_argument(format!("FeedInputs: {text} should have output index < {outputs}")));
        }
        if !seen.insert(text.as_str()) {
            return Err(invalid_argument(format!("Endpoint \"{text}\" fed more than once.")));
        }
        found.push(Endpoint { node, index });
    }
    match fetches.iter().find(|f| seen.contains(f.as_str())) {
        Some(both) => Err(invalid_argument(format!("{both} is both fed and fetched."))),
        None => Ok(found),
    }
}

fn find_fetches(graph: &NodeGraph, signature: &Signature) -> Result<Vec<Endpoint>> {
    let mut seen = HashSet::new();
    let mut found = Vec::with_capacity(signature.fetches.len());
    for text in &signature.fetches {
        let (name, index) = parse_tensor_name(text)?;
        let node = graph.find(name).ok_or_else(|| not_found(format!("FetchOutputs node {text}: not found")))?;
        let outputs = graph.node(node).info.output_types.len();
        if outputs == 0 {
            return Err(invalid_argument(format!(
                "Tried to fetch data for '{text}', which produces no output.  To run to a node but not fetch any data, pass '{text}' as an \
                 argument to the 'target_node_names' argument of the Session::Run API."
            )));
        }
        if index as usize >= outputs {
            return Err(invalid_argument(format!("FetchOutputs {text}: output index too large, must be < {outputs}")));
        }
        if !seen.insert(text.as_str()) {
            return Err(invalid_argument(format!("Endpoint \"{text}\" fetched more than once.")));
        }
        found.push(Endpoint { node, index });
    }
    Ok(found)
}

fn find_targets(graph: &NodeGraph, targets: &[String]) -> Result<Vec<NodeId>> {
    let mut found = Vec::with_capacity(targets.len());
    let mut missing = String::new();
    for target in targets {
        match graph.find(target).or_else(|| graph.find(parse_tensor_name(target).ok()?.0)) {
            Some(id) => found.push(id),
            None => {
                missing.push_str(target);
                missing.push(' ');
            }
        }
    }
    if missing.is_empty() { Ok(found) } else { Err(not_found(format!("PruneForTargets: Some target nodes not found: {missing}"))) }
}

#[cfg(test)]
mod tests;
