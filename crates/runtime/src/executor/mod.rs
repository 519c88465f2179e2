//! `Executor`: runs the part of a step's graph that lies on one device (TF: `Executor`, `ExecutorState`).
//!
//! The graph is compiled once into flat arrays. A run has one driver at a time, which holds the run's state by itself: counts and
//! inputs are plain memory, a cheap node costs no lock and no atomic operation. Expensive nodes are handed to the pool, kernels that
//! wait hold no thread; both report to the run's inbox, and whoever reports while nobody drives becomes (or sends for) the driver.
//! A run whose nodes form a chain stays on one thread.

mod compiled;
mod control_flow;
mod drive;
mod frame_tree;
mod iteration;
mod job;
mod shared;
mod state;
#[cfg(test)]
pub(crate) mod tests;

use crate::{Device, KernelCache, StepStatsCollector};
use compiled::Compiled;
use drive::drive;
use ferroflow_graph::kernel::{ComputePool, FunctionRuntime, StepContext, Value};
use ferroflow_graph::{NodeGraph, OpRegistry};
use ferroflow_tensor::Result;
use parking_lot::Mutex;
use shared::Shared;
use state::StepState;
use std::sync::Arc;

/// Called once at the end of a run, with its results by index of `_Retval`; `None` is a dead result.
pub type RunDone = Box<dyn FnOnce(Result<Vec<Option<Value>>>) + Send>;

/// What an executor runs on.
#[derive(Clone)]
pub struct ExecutorParams {
    /// The device of all nodes.
    pub device: Arc<Device>,
    /// Threads for expensive nodes.
    pub pool: Arc<dyn ComputePool>,
    /// Kernels of stateful nodes, shared with the session's other graphs on this device.
    pub kernels: Arc<KernelCache>,
    /// Functions that nodes may call.
    pub functions: Option<Arc<dyn FunctionRuntime>>,
    /// The ops of this process.
    pub registry: Arc<OpRegistry>,
}

/// How many states of ended runs are kept to be used again.
const STATES_KEPT: usize = 8;

/// A compiled graph. Any number of steps may run at once.
pub struct Executor {
    graph: Compiled,
    pool: Arc<dyn ComputePool>,
    #[expect(clippy::vec_box, reason = "whoever drives a step holds its state as a box; unboxing would copy it")]
    states: Mutex<Vec<Box<StepState>>>,
}

impl Executor {
    /// Compiles a graph, all of whose nodes run on the device of `params`, and makes its kernels.
    ///
    /// Errors: `InvalidArgument` for a malformed graph or an op without a kernel for the device; what making kernels returns.
    pub fn new(graph: &NodeGraph, params: &ExecutorParams) -> Result<Arc<Executor>> {
        let graph = Compiled::new(graph, params)?;
        Ok(Arc::new(Executor { graph, pool: params.pool.clone(), states: Mutex::default() }))
    }

    /// How many arguments a run takes: one more than the largest index of an `_Arg`.
    pub fn num_args(&self) -> usize {
        self.graph.num_args
    }

    /// How many results a run has: one more than the largest index of a `_Retval`.
    pub fn num_retvals(&self) -> usize {
        self.graph.num_retvals
    }

    /// Runs the graph once, on the calling thread as far as it can; other threads take over where kernels wait or are expensive.
    ///
    /// `args` are by index of `_Arg`. `done` is called once, when every kernel has ended, perhaps before this returns. The first
    /// failure ends the run: it is the result, names its node, cancels the step and aborts the step's rendezvous.
    pub fn run_async(
        self: &Arc<Self>,
        step: Arc<StepContext>,
        args: Vec<Value>,
        collector: Option<Arc<StepStatsCollector>>,
        done: RunDone,
    ) {
        let kept = self.states.lock().pop();
        let mut state = kept.unwrap_or_else(|| Box::new(StepState::new(&self.graph)));
        state.begin(&self.graph, args, done);
        drive(Arc::new(Shared::new(self.clone(), step, collector)), state);
    }

    fn keep(&self, mut state: Box<StepState>) {
        state.end();
        let mut states = self.states.lock();
        if states.len() < STATES_KEPT {
            states.push(state);
        }
    }
}
