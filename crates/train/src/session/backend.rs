//! What a session runs on: this process, or a master somewhere.

use ferroflow_graph::NodeGraph;
use ferroflow_tensor::{Result, Tensor};
use std::time::Duration;

/// One step.
#[derive(Clone, Debug, Default)]
pub struct StepRequest {
    /// Tensors by name.
    pub feeds: Vec<(String, Tensor)>,
    /// Names of tensors to return.
    pub fetches: Vec<String>,
    /// Names of operations to run.
    pub targets: Vec<String>,
    /// Time limit.
    pub timeout: Option<Duration>,
}

/// The outcome of a step.
#[derive(Clone, Debug, Default)]
pub struct StepResponse {
    /// The fetched tensors, in the order of the request.
    pub fetches: Vec<Tensor>,
}

/// Where a session's graph runs. Calls block until there is a result.
pub trait Backend: Send + Sync {
    /// Takes over the graph as it is by now; the nodes that it has come first and have not changed.
    ///
    /// Errors: what placing or sending the graph reports.
    fn extend(&self, graph: NodeGraph) -> Result<()>;

    /// Runs a step.
    ///
    /// Errors: the step's.
    fn run(&self, request: StepRequest) -> Result<StepResponse>;

    /// Ends the session; running steps are cancelled.
    ///
    /// Errors: what the other side reports.
    fn close(&self) -> Result<()>;
}
