//! `Session`: runs a graph, in this process or on a cluster (TF: `tf.Session`).
//!
//! The graph may grow between runs; what is new is handed over before the next one. Feeding and fetching work on the
//! graph's own outputs, so that a misspelt name cannot happen; see [`Fetch`].

mod backend;
mod direct;
mod fetch;

pub use backend::{Backend, StepRequest, StepResponse};
pub use direct::Direct;
pub use fetch::{Fetch, FetchPlan, Results};

use ferroflow_graph::{Graph, Operation, Output};
use ferroflow_tensor::error::failed_precondition;
use ferroflow_tensor::{Result, Tensor};
use parking_lot::Mutex;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// A session over a graph. May be used from several threads at once.
#[derive(Clone)]
pub struct Session {
    graph: Graph,
    backend: Arc<dyn Backend>,
    sent: Arc<Mutex<usize>>,
    closed: Arc<AtomicBool>,
}

impl Session {
    /// A session in this process, without servers: variables live as long as it does.
    ///
    /// Errors: none today; reserved for devices that may fail to start.
    pub fn new(graph: &Graph) -> Result<Session> {
        Ok(Session::over(graph, Arc::new(Direct::new(graph.registry()))))
    }

    /// A session over any backend, such as a connection to a server.
    pub fn over(graph: &Graph, backend: Arc<dyn Backend>) -> Session {
        Session { graph: graph.clone(), backend, sent: Arc::default(), closed: Arc::default() }
    }

    /// Its graph.
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// Runs what `fetches` needs and returns the values: a tensor for an [`Output`], `()` for an [`Operation`], and tuples, arrays and
    /// vectors of them.
    ///
    /// Errors: the graph's first error; the step's.
    pub fn run<F: Fetch>(&self, fetches: F) -> Result<F::Value> {
        self.step().run(fetches)
    }

    /// Starts a step with feeds or options.
    pub fn step(&self) -> Step<'_> {
        Step { session: self, request: StepRequest::default() }
    }

    /// Ends the session: running steps are cancelled. Closing twice is no error.
    ///
    /// Errors: what the backend reports.
    pub fn close(&self) -> Result<()> {
        if self.closed.swap(true, Ordering::AcqRel) { Ok(()) } else { self.backend.close() }
    }

    /// Hands over what is new in the graph.
    fn extend(&self) -> Result<()> {
        let mut sent = self.sent.lock();
        let size = self.graph.len();
        if *sent < size || size == 0 {
            let nodes = self.graph.snapshot()?;
            let size = nodes.len();
            self.backend.extend(nodes)?;
            *sent = size;
        }
        Ok(())
    }
}

/// One step in the making.
pub struct Step<'a> {
    session: &'a Session,
    request: StepRequest,
}

impl Step<'_> {
    /// Feeds a tensor in place of what the graph would compute.
    pub fn feed(mut self, output: &Output, value: impl Into<Tensor>) -> Self {
        self.request.feeds.push((output.name(), value.into()));
        self
    }

    /// Feeds tensors by name.
    pub(crate) fn feed_all(mut self, feeds: &[(String, Tensor)]) -> Self {
        self.request.feeds.extend_from_slice(feeds);
        self
    }

    /// Runs an operation too.
    pub fn target(mut self, op: &Operation) -> Self {
        self.request.targets.push(op.name());
        self
    }

    /// Ends the step with `DeadlineExceeded` after this long.
    pub fn timeout(mut self, limit: Duration) -> Self {
        self.request.timeout = Some(limit);
        self
    }

    /// Runs it.
    ///
    /// Errors: the graph's first error; the step's.
    pub fn run<F: Fetch>(self, fetches: F) -> Result<F::Value> {
        self.run_ref(&fetches)
    }

    /// As [`Step::run`], for fetches that are used again.
    pub(crate) fn run_ref<F: Fetch>(mut self, fetches: &F) -> Result<F::Value> {
        if self.session.closed.load(Ordering::Acquire) {
            return Err(failed_precondition("Attempted to use a closed Session."));
        }
        self.session.extend()?;
        let mut plan = FetchPlan::default();
        fetches.plan(&mut plan);
        self.request.fetches = plan.fetches;
        self.request.targets.extend(plan.targets);
        let response = self.session.backend.run(self.request)?;
        fetches.collect(&mut Results::new(response.fetches))
    }
}
