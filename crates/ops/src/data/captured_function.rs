//! `CapturedFunction`: a function of the graph with the tensors that it captured, called for elements (TF: `CapturedFunction`).

use super::dataset::{DatasetHandle, Element};
use super::iterator_context::IteratorContext;
use super::task::{Awaited, promise};
use ferroflow_graph::FuncAttr;
use ferroflow_graph::kernel::{CancellationManager, FunctionHandle, FunctionRuntime, OpKernelContext, StepContext, Value};
use ferroflow_tensor::error::{cancelled, failed_precondition, invalid_argument};
use ferroflow_tensor::{DType, Result, Tensor};
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

struct Captured {
    runtime: Arc<dyn FunctionRuntime>,
    function: FuncAttr,
    inputs: Vec<Tensor>,
}

/// A function and its captured inputs, as a dataset knows them. It keeps the graph's functions alive.
#[derive(Clone)]
pub(crate) struct CapturedFunction(Arc<Captured>);

impl CapturedFunction {
    /// The function that attribute `attr` of the node names, with the inputs `captured` of the node.
    ///
    /// Errors: `InvalidArgument` without the attribute or inputs; `FailedPrecondition` if the graph has no functions.
    pub(crate) fn new(ctx: &OpKernelContext, attr: &str, captured: std::ops::Range<usize>) -> Result<CapturedFunction> {
        let captured = captured.map(|i| ctx.input(i).cloned()).collect::<Result<Vec<Tensor>>>()?;
        CapturedFunction::of_step(ctx.step, ctx.node.attrs.func(attr)?, captured)
    }

    /// A function of the graph that a step runs.
    ///
    /// Errors: `FailedPrecondition` if the graph has no functions.
    pub(crate) fn of_step(step: &StepContext, function: &FuncAttr, inputs: Vec<Tensor>) -> Result<CapturedFunction> {
        let runtime = step.functions.clone();
        let runtime =
            runtime.ok_or_else(|| failed_precondition(format!("the graph has no function library to find {} in", function.name)))?;
        Ok(CapturedFunction(Arc::new(Captured { runtime, function: function.clone(), inputs })))
    }

    /// Makes it ready for an iterator.
    ///
    /// Errors: `NotFound` for an unknown function; what building its graph returns.
    pub(crate) fn instantiate(&self, ctx: &IteratorContext) -> Result<ReadyFunction> {
        let runtime = ctx.functions(&self.0.runtime);
        let handle = runtime.instantiate(&self.0.function.name, &self.0.function.attrs)?;
        Ok(ReadyFunction { captured: self.0.clone(), runtime, handle })
    }
}

/// A captured function as an iterator calls it (TF: `InstantiatedCapturedFunction`).
#[derive(Clone)]
pub(crate) struct ReadyFunction {
    captured: Arc<Captured>,
    runtime: Arc<dyn FunctionRuntime>,
    handle: FunctionHandle,
}

impl ReadyFunction {
    /// Calls it on this thread, as far as it needs no other; the result may come later.
    pub(crate) fn call(&self, ctx: &IteratorContext, args: Element) -> Call {
        self.begin(ctx, args, |run| run())
    }

    /// Calls it on a thread of the pool.
    pub(crate) fn call_elsewhere(&self, ctx: &IteratorContext, args: Element) -> Call {
        self.begin(ctx, args, |run| ctx.pool().spawn(run))
    }

    fn begin(&self, ctx: &IteratorContext, args: Element, start: impl FnOnce(Box<dyn FnOnce() + Send>)) -> Call {
        let step = ctx.step(&self.runtime);
        let cancellation = step.cancellation.clone();
        let (promise, result) = promise();
        let this = self.clone();
        start(Box::new(move || {
            let args = args.into_iter().chain(this.captured.inputs.iter().cloned()).map(Value::Tensor).collect();
            let done = Box::new(move |results: Result<Vec<Value>>| {
                promise.fulfil(results.and_then(|values| values.iter().map(Value::to_tensor).collect()));
            });
            this.runtime.run(this.handle, &step, args, done);
        }));
        Call { result, cancellation, is_over: false }
    }

    /// Calls it and returns the dataset that it makes.
    ///
    /// Errors: what it returns; `InvalidArgument` if that is no dataset.
    pub(crate) async fn call_for_dataset(&self, ctx: &IteratorContext, args: Element) -> Result<DatasetHandle> {
        match &self.call(ctx, args).await?[..] {
            [dataset] => DatasetHandle::from_tensor(dataset),
            other => Err(invalid_argument(format!("`{}` must return one dataset, it returns {} values", self.name(), other.len()))),
        }
    }

    /// Calls it and returns whether it says so.
    ///
    /// Errors: what it returns; `InvalidArgument` if that is no scalar bool.
    pub(crate) async fn call_for_truth(&self, ctx: &IteratorContext, args: Element) -> Result<bool> {
        match &self.call(ctx, args).await?[..] {
            [truth] if truth.dtype() == DType::Bool && truth.shape().is_scalar() => truth.to_scalar(),
            _ => Err(invalid_argument("Filter predicate `f` must return a scalar bool.")),
        }
    }

    /// Its name.
    pub(crate) fn name(&self) -> &str {
        &self.captured.function.name
    }
}

/// A call under way. Dropping it cancels what it still does.
pub(crate) struct Call {
    result: Awaited<Element>,
    cancellation: Arc<CancellationManager>,
    is_over: bool,
}

impl Future for Call {
    type Output = Result<Element>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Result<Element>> {
        let polled = Pin::new(&mut self.result).poll(cx);
        self.is_over = polled.is_ready();
        polled
    }
}

impl Drop for Call {
    fn drop(&mut self) {
        if !self.is_over {
            self.cancellation.cancel(cancelled("the iterator does not wait for this call of a function any more"));
        }
    }
}
