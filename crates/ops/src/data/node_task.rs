//! Kernels whose work is a task: they end when the task does, or at once when the step is cancelled.

use super::task::Task;
use ferroflow_graph::kernel::{AsyncOpContext, CancellationManager, CancellationToken, Done, Outputs};
use ferroflow_tensor::error::{internal, invalid_argument, out_of_range};
use ferroflow_tensor::{DType, Error, Result, Tensor};
use parking_lot::Mutex;
use std::future::Future;
use std::sync::Arc;

/// What is left to do when a node ends.
struct Pending {
    done: Option<Done>,
    token: Option<CancellationToken>,
    /// What runs; dropping it aborts it.
    task: Option<Task<()>>,
}

fn end(pending: &Mutex<Pending>, cancellation: &CancellationManager, result: Result<Outputs>) {
    let (done, token) = {
        let mut pending = pending.lock();
        (pending.done.take(), pending.token.take())
    };
    if let Some(token) = token {
        cancellation.deregister(token);
    }
    if let Some(done) = done {
        done(result);
    }
}

/// Ends the node if the work is dropped before it has come to anything, as a panic does.
struct EndGuard {
    pending: Arc<Mutex<Pending>>,
    cancellation: Arc<CancellationManager>,
}

impl Drop for EndGuard {
    fn drop(&mut self) {
        end(&self.pending, &self.cancellation, Err(internal("the work of the node was dropped before it was done")));
    }
}

/// Ends a node with what `work` comes to. If the step is cancelled, the work is dropped and the node ends with the reason.
pub(crate) fn end_with(ctx: &AsyncOpContext, work: impl Future<Output = Result<Outputs>> + Send + 'static, done: Done) {
    let pending = Arc::new(Mutex::new(Pending { done: Some(done), token: None, task: None }));
    let cancellation = ctx.step.cancellation.clone();
    let on_cancel = {
        let (pending, cancellation) = (pending.clone(), cancellation.clone());
        move |reason: &Error| {
            end(&pending, &cancellation, Err(reason.clone().derived()));
            let task = pending.lock().task.take();
            drop(task);
        }
    };
    match cancellation.register(on_cancel) {
        Ok(token) => pending.lock().token = Some(token),
        Err(reason) => return end(&pending, &cancellation, Err(reason.derived())),
    }
    let guard = EndGuard { pending: pending.clone(), cancellation };
    let task = Task::spawn(&ctx.step.pool, async move {
        let result = work.await;
        end(&guard.pending, &guard.cancellation, result);
        Ok(())
    });
    let mut pending = pending.lock();
    if pending.done.is_some() {
        pending.task = Some(task);
    }
}

/// The components of an element as the outputs of a node.
///
/// Errors: `OutOfRange` `End of sequence` without an element; `InvalidArgument` if its components are not the node's.
pub(crate) fn element_outputs(element: Option<Vec<Tensor>>, types: &[DType]) -> Result<Outputs> {
    let element = element.ok_or_else(|| out_of_range("End of sequence"))?;
    check_components(&element, types)?;
    Ok(element.into_iter().map(|t| Some(t.into())).collect())
}

/// Checks that an element has components of these types.
///
/// Errors: `InvalidArgument` if it has not.
pub(crate) fn check_components(element: &[Tensor], types: &[DType]) -> Result<()> {
    if element.len() == types.len() && element.iter().zip(types).all(|(t, &ty)| t.dtype() == ty) {
        return Ok(());
    }
    let have: Vec<DType> = element.iter().map(Tensor::dtype).collect();
    Err(invalid_argument(format!("an element has components of types {have:?}, expected {types:?}")))
}
