//! The client's graph as a session has it: as written, and placed (TF: `GraphExecutionState`).

use super::requests::ExtendRequest;
use ferroflow_graph::{NodeGraph, OpRegistry};
use ferroflow_runtime::placer::{Pins, Placer};
use ferroflow_tensor::Result;
use ferroflow_tensor::error::aborted;
use std::sync::Arc;

/// The graph of a session.
pub(super) struct GraphState {
    /// As the client wrote it.
    client: Arc<NodeGraph>,
    /// Every node with its device.
    placed: Arc<NodeGraph>,
    pins: Pins,
    /// How often it was extended.
    version: i64,
    placer: Placer,
}

impl GraphState {
    /// Places a new session's graph: a device that cannot be had anywhere fails the session.
    ///
    /// Errors: those of placing.
    pub fn new(client: NodeGraph, placer: Placer) -> Result<GraphState> {
        let mut pins = Pins::new();
        let mut placed = client.clone();
        placer.place(&mut placed, &mut pins)?;
        Ok(GraphState { client: Arc::new(client), placed: Arc::new(placed), pins, version: 0, placer })
    }

    /// Adds nodes and places the whole again; returns the new version. After an error everything is as before.
    ///
    /// Errors: `Aborted` if the client believes in another version; those of reading and placing.
    pub fn extend(&mut self, request: ExtendRequest, registry: &OpRegistry) -> Result<i64> {
        if request.current_version != self.version {
            return Err(aborted(format!("Current version is {} but caller expected {}.", self.version, request.current_version)));
        }
        let mut client = NodeGraph::clone(&self.client);
        request.graph.add_to(&mut client, registry)?;
        let (mut placed, mut pins) = (client.clone(), self.pins.clone());
        self.placer.place(&mut placed, &mut pins)?;
        (self.client, self.placed, self.pins) = (Arc::new(client), Arc::new(placed), pins);
        self.version += 1;
        Ok(self.version)
    }

    /// The graph as the client wrote it.
    pub fn client(&self) -> &Arc<NodeGraph> {
        &self.client
    }

    /// Places a step's own graph: stateful nodes go where they were before.
    ///
    /// Errors: those of placing.
    pub fn place(&mut self, graph: &mut NodeGraph) -> Result<()> {
        self.placer.place(graph, &mut self.pins)
    }

    /// Every node with its device.
    pub fn placed(&self) -> &Arc<NodeGraph> {
        &self.placed
    }
}
