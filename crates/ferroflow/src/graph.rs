//! `Graph` with ferroflow's ops, so that `Graph::new()` needs no registry.

use std::ops::Deref;

/// A dataflow graph over all ops of this build. Everything else it does is in [`ferroflow_graph::Graph`], which it stands for.
#[derive(Clone)]
pub struct Graph(ferroflow_graph::Graph);

impl Graph {
    /// An empty graph.
    pub fn new() -> Graph {
        Graph(ferroflow_graph::Graph::with_registry(ferroflow_ops::registry()))
    }
}

impl Default for Graph {
    fn default() -> Graph {
        Graph::new()
    }
}

impl Deref for Graph {
    type Target = ferroflow_graph::Graph;

    fn deref(&self) -> &ferroflow_graph::Graph {
        &self.0
    }
}
