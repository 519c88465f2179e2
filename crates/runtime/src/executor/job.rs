//! Jobs: kernel calls that may end on another thread or later (TF: the closures and `AsyncState` of `ExecutorState::Process`).

use super::compiled::{Compiled, Item, Kind};
use super::iteration::Tagged;
use super::shared::Shared;
use crate::kernel_cache::{BuiltKernel, NodeKernel};
use crate::pool::panic_message;
use ferroflow_graph::NodeInfo;
use ferroflow_graph::kernel::{AsyncOpContext, Done, FrameAndIter, OpKernelContext, Outputs, StepContext, Value};
use ferroflow_tensor::error::internal;
use ferroflow_tensor::{Error, Result};
use parking_lot::Mutex;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Instant;

/// A kernel call with its inputs.
pub(crate) struct Job {
    pub(crate) tag: Tagged,
    pub(crate) frame_iter: FrameAndIter,
    /// All are there.
    pub(crate) inputs: Vec<Option<Value>>,
    pub(crate) dead: bool,
}

/// How a job ended.
pub(crate) struct Completion {
    pub(crate) tag: Tagged,
    pub(crate) dead: bool,
    pub(crate) result: Result<Outputs>,
}

fn panicked(panic: Box<dyn std::any::Any + Send>) -> Error {
    internal(format!("the kernel panicked: {}", panic_message(&*panic)))
}

/// Calls a kernel that does not wait. A panic in it becomes an error.
pub(crate) fn compute(
    item: &Item,
    kernel: &NodeKernel,
    step: &Arc<StepContext>,
    frame_iter: FrameAndIter,
    dead: bool,
    inputs: &mut [Option<Value>],
    outputs: &mut Outputs,
) -> Result<()> {
    let mut ctx = OpKernelContext::with_num_outputs(&kernel.node, item.num_outputs as usize, step, frame_iter, inputs, outputs);
    ctx.is_input_dead = dead;
    let call = AssertUnwindSafe(|| {
        if let Some(f) = item.function {
            return f(&mut ctx);
        }
        match &kernel.kernel {
            BuiltKernel::Function(f) => f(&mut ctx),
            BuiltKernel::Sync(k) => k.compute(&mut ctx),
            BuiltKernel::Async(_) => Err(internal("a kernel that waits was called as one that does not")),
        }
    });
    catch_unwind(call).unwrap_or_else(|panic| Err(panicked(panic)))
}

/// Checks what a kernel left.
///
/// Errors: `Internal` if an output is missing; only transfers may leave one out, which makes it dead.
#[inline]
pub(crate) fn check_outputs(graph: &Compiled, node: u32, item: &Item, outputs: &Outputs) -> Result<()> {
    if outputs.len() != item.num_outputs as usize {
        return Err(internal(format!("{} outputs instead of {}", outputs.len(), item.num_outputs)));
    }
    match outputs.iter().position(|o| o.is_none()) {
        Some(i) if item.kind != Kind::Transfer => {
            Err(internal(format!("Missing {i}-th output from {{{{node {}}}}}", graph.infos[node as usize].name)))
        }
        _ => Ok(()),
    }
}

/// A call of a kernel that may end later.
struct Call {
    shared: Arc<Shared>,
    tag: Tagged,
    dead: bool,
    start: Option<Instant>,
    phase: Mutex<Phase>,
}

enum Phase {
    /// The kernel has been called and has not returned.
    Starting,
    /// It ended before it returned; whoever called it goes on.
    EndedEarly(Result<Outputs>),
    /// It has returned and not ended.
    Waiting,
    /// It has ended, or panicked.
    Over,
}

impl Call {
    fn completion(&self, result: Result<Outputs>) -> Completion {
        if let (Some(start), Ok(outputs)) = (self.start, &result) {
            self.shared.record(self.tag.node, start, outputs);
        }
        Completion { tag: self.tag, dead: self.dead, result }
    }

    fn end(&self, result: Result<Outputs>) {
        let mut phase = self.phase.lock();
        match *phase {
            Phase::Starting => *phase = Phase::EndedEarly(result),
            Phase::Waiting => {
                *phase = Phase::Over;
                drop(phase);
                // This thread is anyone's: a network thread, or one that runs another step's kernel. The step goes on in the pool.
                Shared::complete_elsewhere(&self.shared, self.completion(result));
            }
            Phase::EndedEarly(_) | Phase::Over => {}
        }
    }

    /// Notes that the kernel has returned; what it came to, if it has ended.
    fn returned(&self) -> Option<Completion> {
        let mut phase = self.phase.lock();
        match std::mem::replace(&mut *phase, Phase::Over) {
            Phase::EndedEarly(result) => {
                drop(phase);
                Some(self.completion(result))
            }
            _ => {
                *phase = Phase::Waiting;
                None
            }
        }
    }
}

/// Ends the call if the kernel drops its callback instead of calling it.
struct CallEnd(Option<Arc<Call>>);

impl CallEnd {
    fn end(mut self, result: Result<Outputs>) {
        if let Some(call) = self.0.take() {
            call.end(result);
        }
    }
}

impl Drop for CallEnd {
    fn drop(&mut self) {
        if let Some(call) = self.0.take() {
            call.end(Err(internal("the kernel dropped its callback")));
        }
    }
}

impl Job {
    /// Runs the job; `None` if it ends later.
    pub(crate) fn run(self, shared: &Arc<Shared>) -> Option<Completion> {
        let graph = &shared.executor.graph;
        let item = &graph.items[self.tag.node as usize];
        let start = shared.collector.as_ref().map(|_| Instant::now());
        match &item.kernel {
            Some(kernel) if !item.is_async => {
                let Job { tag, frame_iter, mut inputs, dead } = self;
                let mut outputs = Outputs::new();
                let result = compute(item, kernel, &shared.step, frame_iter, dead, &mut inputs, &mut outputs).map(|()| outputs);
                if let (Some(start), Ok(outputs)) = (start, &result) {
                    shared.record(tag.node, start, outputs);
                }
                Some(Completion { tag, dead, result })
            }
            _ => self.start_waiting(shared, start),
        }
    }

    fn start_waiting(self, shared: &Arc<Shared>, start: Option<Instant>) -> Option<Completion> {
        let Job { tag, frame_iter, inputs, dead } = self;
        let inputs: Vec<Value> = inputs.into_iter().flatten().collect();
        let call = Arc::new(Call { shared: shared.clone(), tag, dead, start, phase: Mutex::new(Phase::Starting) });
        let end = CallEnd(Some(call.clone()));
        let done: Done = Box::new(move |result| end.end(result));
        let graph = &shared.executor.graph;
        let begin = AssertUnwindSafe(|| match graph.items[tag.node as usize].kernel.as_deref() {
            Some(NodeKernel { kernel: BuiltKernel::Async(kernel), node, .. }) => {
                let step = shared.step.clone();
                kernel.compute_async(AsyncOpContext { node: node.clone(), step, frame_iter, inputs, is_input_dead: dead }, done);
            }
            _ => call_function(&graph.infos[tag.node as usize], &shared.step, inputs, done),
        });
        match catch_unwind(begin) {
            Ok(()) => call.returned(),
            Err(panic) => {
                *call.phase.lock() = Phase::Over;
                Some(call.completion(Err(panicked(panic))))
            }
        }
    }
}

/// Runs the function that a node's op names.
fn call_function(node: &NodeInfo, step: &Arc<StepContext>, args: Vec<Value>, done: Done) {
    let Some(functions) = &step.functions else {
        return done(Err(internal(format!("there is no function library to find {} in", node.op_name()))));
    };
    match functions.instantiate(node.op_name(), &node.attrs) {
        Ok(handle) => functions.run(handle, step, args, Box::new(|result| done(result.map(|v| v.into_iter().map(Some).collect())))),
        Err(e) => done(Err(e)),
    }
}
