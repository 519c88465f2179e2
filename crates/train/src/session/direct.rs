//! The backend inside this process.

use super::backend::{Backend, StepRequest, StepResponse};
use ferroflow_graph::{NodeGraph, OpRegistry};
use ferroflow_runtime::{DirectSession, SessionOptions};
use ferroflow_tensor::error::{deadline_exceeded, invalid_argument};
use ferroflow_tensor::{Result, Tensor};
use std::sync::Arc;

/// Runs graphs on the threads of this process.
pub struct Direct {
    session: DirectSession,
}

impl Direct {
    /// A session of its own over these ops.
    pub fn new(registry: Arc<OpRegistry>) -> Direct {
        let options = SessionOptions { allow_soft_placement: true, ..SessionOptions::default() };
        Direct { session: DirectSession::new(registry, options) }
    }
}

impl Backend for Direct {
    fn extend(&self, graph: NodeGraph) -> Result<()> {
        self.session.extend(graph)
    }

    fn run(&self, request: StepRequest) -> Result<StepResponse> {
        if request.timeout.is_some_and(|t| t.is_zero()) {
            return Err(deadline_exceeded("the step's time limit is zero"));
        }
        if request.timeout.is_some() {
            return Err(invalid_argument("a session in this process has no clock: run steps with a time limit on a server"));
        }
        let feeds: Vec<(&str, Tensor)> = request.feeds.iter().map(|(n, t)| (n.as_str(), t.clone())).collect();
        let fetches: Vec<&str> = request.fetches.iter().map(|f| f.as_str()).collect();
        let targets: Vec<&str> = request.targets.iter().map(|t| t.as_str()).collect();
        Ok(StepResponse { fetches: self.session.run(&feeds, &fetches, &targets)? })
    }

    fn close(&self) -> Result<()> {
        self.session.close();
        Ok(())
    }
}
