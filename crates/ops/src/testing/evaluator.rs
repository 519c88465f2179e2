//! `Evaluator`: runs the part of a graph that some outputs need, one node after the other.

use super::{TestNode, bare_step};
use ferroflow_graph::kernel::{StepContext, Value};
use ferroflow_graph::{Endpoint, Graph, NodeId, Output};
use ferroflow_tensor::error::{internal, invalid_argument};
use ferroflow_tensor::{Result, Tensor};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// Runs a graph without loops and conditionals. Kernels and resources live as long as the evaluator, so variables keep their values.
pub struct Evaluator {
    graph: Graph,
    step: Arc<StepContext>,
    kernels: HashMap<NodeId, TestNode>,
}

impl Evaluator {
    /// An evaluator of this graph.
    pub fn new(graph: &Graph) -> Evaluator {
        Evaluator { graph: graph.clone(), step: bare_step(1), kernels: HashMap::new() }
    }

    /// The step that everything runs in.
    pub fn step(&self) -> &Arc<StepContext> {
        &self.step
    }

    /// The values of `fetches`, with `feeds` in place of the outputs named there.
    ///
    /// Errors: the graph's first error of building; what a kernel returns; `Internal` if a shape is not what the graph says.
    pub fn run(&mut self, feeds: &[(&Output, Tensor)], fetches: &[Output]) -> Result<Vec<Tensor>> {
        let nodes = self.graph.snapshot()?;
        let mut values: HashMap<Endpoint, Value> = feeds.iter().map(|(o, t)| (o.endpoint(), Value::Tensor(t.clone()))).collect();
        let mut needed: HashSet<NodeId> = HashSet::new();
        let mut open: Vec<NodeId> = fetches.iter().map(|f| f.endpoint()).filter(|e| !values.contains_key(e)).map(|e| e.node).collect();
        while let Some(id) = open.pop() {
            if needed.insert(id) {
                let node = nodes.node(id);
                open.extend(node.inputs.iter().filter(|e| !values.contains_key(e)).map(|e| e.node));
                open.extend(&node.control_inputs);
            }
        }
        // Nodes are numbered in the order in which they were made, so inputs come first.
        let mut order: Vec<NodeId> = needed.into_iter().collect();
        order.sort_unstable();
        for id in order {
            let node = nodes.node(id);
            if !self.kernels.contains_key(&id) {
                self.kernels.insert(id, TestNode::new(node.info.clone(), self.step.clone()).map_err(|e| e.at_node(&node.info.name))?);
            }
            let inputs: Option<Vec<Value>> = node.inputs.iter().map(|e| values.get(e).cloned()).collect();
            let inputs = inputs.ok_or_else(|| invalid_argument(format!("node {} has an input that is dead", node.info.name)))?;
            let outputs = self.kernels[&id].run(inputs).map_err(|e| e.at_node(&node.info.name))?;
            for (i, value) in outputs.into_iter().enumerate() {
                let Some(value) = value else { continue };
                let endpoint = Endpoint { node: id, index: i as u32 };
                let known = self.graph.output_at(endpoint).shape();
                if let Value::Tensor(t) = &value
                    && !known.matches(t.shape())
                {
                    return Err(internal(format!("the graph says {known} for {}:{i}, its value has {}", node.info.name, t.shape())));
                }
                values.entry(endpoint).or_insert(value);
            }
        }
        let value = |f: &Output| values.get(&f.endpoint()).ok_or_else(|| invalid_argument(format!("{f:?} is dead")))?.to_tensor();
        fetches.iter().map(value).collect()
    }
}
