//! `Accumulator`: gathers gradients of several steps until enough are there to be taken (TF: `ConditionalAccumulatorBase`).
//!
//! A gradient computed from an older global step than the accumulator's is dropped. Taking divides by the number of gradients,
//! forgets them, and moves the accumulator to the next global step: that is what makes replicated training synchronous.

use super::gradient_sum::GradientSum;
use super::sparse_gradient::SparseGradient;
use ferroflow_graph::kernel::{CancellationManager, CancellationToken, Outputs, Resource};
use ferroflow_tensor::error::{cancelled, invalid_argument};
use ferroflow_tensor::{DType, PartialShape, Result, Tensor};
use parking_lot::Mutex;
use std::collections::VecDeque;
use std::sync::Arc;

/// What an accumulator is made of; two nodes that share it must agree.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct AccumulatorSpec {
    pub(crate) dtype: DType,
    pub(crate) shape: PartialShape,
    /// Whether the sum is divided by the number of gradients.
    pub(crate) is_mean: bool,
    pub(crate) is_sparse: bool,
}

/// A gradient to be added.
pub(super) enum Gradient {
    Dense(Tensor),
    Sparse(SparseGradient),
}

type TakeDone = Box<dyn FnOnce(Result<Outputs>) + Send>;

struct Take {
    id: u64,
    required: i64,
    done: TakeDone,
    waiting: Option<(Arc<CancellationManager>, CancellationToken)>,
}

struct State {
    sum: GradientSum,
    count: i64,
    global_step: i64,
    takes: VecDeque<Take>,
    next_id: u64,
}

/// An accumulator.
pub(crate) struct Accumulator {
    name: String,
    spec: AccumulatorSpec,
    state: Mutex<State>,
}

impl Resource for Accumulator {
    fn type_name(&self) -> &'static str {
        if self.spec.is_sparse { "SparseConditionalAccumulator" } else { "ConditionalAccumulator" }
    }
}

impl Accumulator {
    /// What TF calls the type of an accumulator's resource handle.
    pub(crate) const TYPE_NAME: &str = "N10tensorflow26ConditionalAccumulatorBaseE";

    /// An accumulator without gradients, at global step 0.
    pub(super) fn new(name: impl Into<String>, spec: AccumulatorSpec) -> Accumulator {
        let state = State { sum: GradientSum::new(&spec), count: 0, global_step: 0, takes: VecDeque::new(), next_id: 0 };
        Accumulator { name: name.into(), spec, state: Mutex::new(state) }
    }

    /// Its name.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// What it is made of.
    pub(super) fn spec(&self) -> &AccumulatorSpec {
        &self.spec
    }

    /// How many gradients it holds.
    pub(super) fn count(&self) -> i64 {
        self.state.lock().count
    }

    /// Sets the global step. Gradients that it holds stay.
    pub(super) fn set_global_step(&self, global_step: i64) {
        self.state.lock().global_step = global_step;
    }

    /// Adds a gradient, unless it is stale: computed from an older global step than the accumulator's.
    ///
    /// Errors: `InvalidArgument` if type or shape do not fit; nothing is added then.
    pub(super) fn apply(&self, local_step: i64, gradient: Gradient) -> Result<()> {
        let mut finished = Vec::new();
        {
            let mut state = self.state.lock();
            if local_step < state.global_step {
                return Ok(());
            }
            let state = &mut *state;
            state.sum.add(&self.spec, gradient)?;
            state.count += 1;
            self.serve(state, &mut finished);
        }
        finished.into_iter().for_each(finish);
        Ok(())
    }

    /// Takes the result of at least `required` gradients out, once they are there; takers are served in their order.
    pub(super) fn take(self: &Arc<Self>, required: i32, cancellation: &Arc<CancellationManager>, done: TakeDone) {
        if required <= 0 {
            return done(Err(invalid_argument(format!("Argument num_required must be positive, but was {required}"))));
        }
        let mut finished = Vec::new();
        let id = {
            let mut state = self.state.lock();
            let id = state.next_id;
            state.next_id += 1;
            state.takes.push_back(Take { id, required: required as i64, done, waiting: None });
            self.serve(&mut state, &mut finished);
            state.takes.iter().any(|t| t.id == id).then_some(id)
        };
        finished.into_iter().for_each(finish);
        if let Some(id) = id {
            self.wait(id, cancellation);
        }
    }

    /// Lets a taker that could not be served at once be cancelled.
    fn wait(self: &Arc<Self>, id: u64, cancellation: &Arc<CancellationManager>) {
        let accumulator = self.clone();
        match cancellation.register(move |_| accumulator.cancel(id)) {
            Err(_) => self.cancel(id),
            Ok(token) => {
                let mut state = self.state.lock();
                match state.takes.iter_mut().find(|t| t.id == id) {
                    Some(take) => take.waiting = Some((cancellation.clone(), token)),
                    None => {
                        drop(state);
                        cancellation.deregister(token);
                    }
                }
            }
        }
    }

    fn cancel(&self, id: u64) {
        let mut finished = Vec::new();
        {
            let mut state = self.state.lock();
            if let Some(at) = state.takes.iter().position(|t| t.id == id)
                && let Some(take) = state.takes.remove(at)
            {
                let (name, have, need) = (&self.name, state.count, take.required);
                let waited = format!("TakeGrad operation was cancelled: accumulator '{name}' has {have} of {need} gradients");
                finished.push((take, Err(cancelled(waited))));
            }
            self.serve(&mut state, &mut finished);
        }
        finished.into_iter().for_each(finish);
    }

    /// Serves the first taker as long as there are enough gradients for it.
    fn serve(&self, state: &mut State, finished: &mut Vec<(Take, Result<Outputs>)>) {
        while state.takes.front().is_some_and(|take| take.required <= state.count) {
            let Some(take) = state.takes.pop_front() else { return };
            let result = state.sum.take(&self.spec, state.count);
            state.count = 0;
            state.global_step += 1;
            finished.push((take, result));
        }
    }
}

/// Calls back; the lock must not be held.
fn finish((take, result): (Take, Result<Outputs>)) {
    if let Some((cancellation, token)) = take.waiting {
        cancellation.deregister(token);
    }
    (take.done)(result);
}
