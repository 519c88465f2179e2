//! The client's graph as a session has it: as written, and placed (TF: `GraphExecutionState`).

use super::requests::ExtendRequest;
use ferroflow_graph::{NodeGraph, NodeId, OpRegistry};
use ferroflow_runtime::lower::{lower, needs_lowering};
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
    pub fn new(client: NodeGraph, placer: Placer, registry: &Arc<OpRegistry>) -> Result<GraphState> {
        let mut pins = Pins::new();
        let placed = place_all(&placer, &client, &mut pins, registry)?;
        Ok(GraphState { client: Arc::new(client), placed: Arc::new(placed), pins, version: 0, placer })
    }

    /// Adds nodes and places the whole again; returns the new version. After an error everything is as before.
    ///
    /// Errors: `Aborted` if the client believes in another version; those of reading and placing.
    pub fn extend(&mut self, request: ExtendRequest, registry: &Arc<OpRegistry>) -> Result<i64> {
        if request.current_version != self.version {
            return Err(aborted(format!("Current version is {} but caller expected {}.", self.version, request.current_version)));
        }
        let mut client = NodeGraph::clone(&self.client);
        request.graph.add_to(&mut client, registry)?;
        let mut pins = self.pins.clone();
        let placed = place_all(&self.placer, &client, &mut pins, registry)?;
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

/// Places the client's graph. A node may take a resource out of a function, so that it is seen only in the lowered graph where it has
/// to be: that one is placed first, which also finds devices in bodies that cannot be had.
fn place_all(placer: &Placer, client: &NodeGraph, pins: &mut Pins, registry: &Arc<OpRegistry>) -> Result<NodeGraph> {
    let mut placed = client.clone();
    if needs_lowering(client) {
        match lower(client, client, registry) {
            Ok(mut lowered) => {
                placer.place(&mut lowered, pins)?;
                for id in (0..placed.len() as u32).map(NodeId) {
                    if let Some(same) = lowered.find(&placed.node(id).info.name) {
                        placed.node_mut(id).assigned_device = lowered.node(same).assigned_device.clone();
                    }
                }
            }
            // A step that needs the function will say so; others may run.
            Err(error) => tracing::info!(%error, "a function of the graph cannot be expanded"),
        }
    }
    placer.place(&mut placed, pins)?;
    Ok(placed)
}
