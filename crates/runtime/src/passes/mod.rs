//! Rewriting a pruned graph before it is cut: the same results with less work (TF: Grappler, `GraphOptimizer`).
//!
//! Only what keeps every visible result is done. Fed, fetched and stateful nodes keep their names and places.

mod constant_folding;
mod evaluate;
mod merging;

pub use constant_folding::Evaluate;
pub use evaluate::evaluator;

use ferroflow_graph::{Node, NodeGraph, NodeId, OpRegistry};
use ferroflow_tensor::Result;

/// Which rewrites to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PassOptions {
    /// Compute now what depends on constants only.
    pub constant_folding: bool,
    /// Compute equal things once.
    pub common_subexpression_elimination: bool,
}

impl PassOptions {
    /// Nothing: the graph runs as it is written.
    pub fn none() -> PassOptions {
        PassOptions { constant_folding: false, common_subexpression_elimination: false }
    }
}

impl Default for PassOptions {
    fn default() -> PassOptions {
        PassOptions { constant_folding: true, common_subexpression_elimination: true }
    }
}

/// Rewrites a pruned and placed graph. `evaluate` computes one node from the values of its inputs.
///
/// Errors: only for a graph that is broken; a node that cannot be computed now is left for the step, which reports why.
pub fn optimize(mut graph: NodeGraph, options: PassOptions, registry: &OpRegistry, evaluate: &Evaluate) -> Result<NodeGraph> {
    if options == PassOptions::none() {
        return Ok(graph);
    }
    // What nothing consumes is what the graph is run for.
    let roots = roots(&graph);
    let mut changed = false;
    if options.constant_folding {
        changed |= constant_folding::fold(&mut graph, registry, evaluate)?;
    }
    if options.common_subexpression_elimination {
        changed |= merging::merge_equal_nodes(&mut graph, &roots);
    }
    if changed { keep_needed(&graph, &roots) } else { Ok(graph) }
}

/// The nodes without consumers.
fn roots(graph: &NodeGraph) -> Vec<bool> {
    let mut roots = vec![true; graph.len()];
    for node in graph.nodes() {
        sources(node).for_each(|from| roots[from.index()] = false);
    }
    roots
}

fn sources(node: &Node) -> impl Iterator<Item = NodeId> {
    node.inputs.iter().map(|e| e.node).chain(node.control_inputs.iter().copied())
}

/// A copy without the nodes that no root depends on any more.
fn keep_needed(graph: &NodeGraph, roots: &[bool]) -> Result<NodeGraph> {
    let mut needed = roots.to_vec();
    let mut stack: Vec<NodeId> = graph.iter().map(|(id, _)| id).filter(|id| needed[id.index()]).collect();
    while let Some(id) = stack.pop() {
        for from in sources(graph.node(id)) {
            if !std::mem::replace(&mut needed[from.index()], true) {
                stack.push(from);
            }
        }
    }
    let mut new_ids = vec![NodeId(0); graph.len()];
    for (new, old) in (0..graph.len()).filter(|&i| needed[i]).enumerate() {
        new_ids[old] = NodeId(new as u32);
    }
    let mut out = NodeGraph::new();
    out.library = graph.library.clone();
    out.versions = graph.versions.clone();
    for (_, node) in graph.iter().filter(|(id, _)| needed[id.index()]) {
        let mut node = node.clone();
        node.inputs.iter_mut().for_each(|e| e.node = new_ids[e.node.index()]);
        node.control_inputs.iter_mut().for_each(|c| *c = new_ids[c.index()]);
        out.add(node)?;
    }
    Ok(out)
}

#[cfg(test)]
mod tests;
