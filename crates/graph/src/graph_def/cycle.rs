//! Finds cycles that no loop explains: only `NextIteration` may lead back to a `Merge`.

use crate::node::{Node, NodeGraph, NodeId};
use ferroflow_tensor::Result;
use ferroflow_tensor::error::invalid_argument;

/// Refuses a graph with nodes that wait for each other. Every edge must start at a node of the graph.
///
/// Errors: `InvalidArgument` with the number of nodes that can never run and the name of one of them.
pub fn refuse_cycles(graph: &NodeGraph) -> Result<()> {
    // The usual case, a graph in topological order, needs no work per edge beyond a comparison.
    if graph.iter().all(|(id, n)| sources(graph, n).all(|from| from < id)) {
        return Ok(());
    }
    let n = graph.len();
    let mut pending = vec![0u32; n];
    let mut first = vec![0u32; n + 1];
    for node in graph.nodes() {
        sources(graph, node).for_each(|from| first[from.index() + 1] += 1);
    }
    for i in 0..n {
        first[i + 1] += first[i];
    }
    let mut consumers = vec![0u32; first[n] as usize];
    let mut fill = first.clone();
    for (id, node) in graph.iter() {
        for from in sources(graph, node) {
            let place = &mut fill[from.index()];
            consumers[*place as usize] = id.0;
            *place += 1;
            pending[id.index()] += 1;
        }
    }
    let mut ready: Vec<u32> = (0..n as u32).filter(|&i| pending[i as usize] == 0).collect();
    let mut done = 0;
    while let Some(i) = ready.pop() {
        done += 1;
        for &c in &consumers[first[i as usize] as usize..first[i as usize + 1] as usize] {
            pending[c as usize] -= 1;
            if pending[c as usize] == 0 {
                ready.push(c);
            }
        }
    }
    match pending.iter().position(|&p| p > 0) {
        None => Ok(()),
        Some(i) => {
            let name = &graph.nodes()[i].info.name;
            Err(invalid_argument(format!("{} nodes in a cycle: the graph has no order in which node '{name}' could run", n - done)))
        }
    }
}

/// Where the edges into a node start, those that close loops left out. All of them must exist.
fn sources<'a>(graph: &'a NodeGraph, node: &'a Node) -> impl Iterator<Item = NodeId> + 'a {
    let is_merge = matches!(node.info.op_name(), "Merge" | "RefMerge");
    let closes_loop = move |id: &NodeId| is_merge && matches!(graph.node(*id).info.op_name(), "NextIteration" | "RefNextIteration");
    node.inputs.iter().map(|e| e.node).filter(move |id| !closes_loop(id)).chain(node.control_inputs.iter().copied())
}
