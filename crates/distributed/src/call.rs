//! How calls to workers are made: a callback that is called once, and how the call can be given up (TF: `StatusCallback`, `CallOptions`).
//!
//! Calls are callbacks and not futures, so that a step that needs no other task runs on the caller's thread from end to end.

use ferroflow_graph::kernel::CancellationManager;
use ferroflow_tensor::{Error, Result};
use parking_lot::Mutex;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

/// Called once with a call's result, from any thread, perhaps before the call returns. It must not block.
pub type Done<T> = Box<dyn FnOnce(Result<T>) + Send>;

/// How one call may be ended before it has a result.
#[derive(Clone, Default)]
pub struct CallOptions {
    /// Cancelling it gives the call up; the callee is told, and the callback gets the reason.
    pub cancellation: Option<Arc<CancellationManager>>,
    /// How long the call may take; `None` means as long as it needs.
    pub timeout: Option<Duration>,
    /// How long a call that was cancelled still waits for the callee to say in what it was interrupted.
    pub account: Option<Duration>,
}

impl CallOptions {
    /// Options of a call that can be cancelled.
    pub fn cancelled_by(cancellation: &Arc<CancellationManager>) -> CallOptions {
        CallOptions { cancellation: Some(cancellation.clone()), ..CallOptions::default() }
    }

    /// Options of a call that may take this long.
    pub fn within(timeout: Duration) -> CallOptions {
        CallOptions { timeout: Some(timeout), ..CallOptions::default() }
    }
}

/// When to give up what a client limits to `limit`. The client's own clock ends the call then, with a bare `Deadline Exceeded`; the answer
/// that says what was waited for has to be there a little earlier.
pub(crate) fn shortly_before(limit: Duration) -> Duration {
    const MARGIN: Duration = Duration::from_millis(100);
    limit - MARGIN.min(limit / 20)
}

/// Makes `child` be cancelled with `parent`, until the returned guard is dropped. `also` runs beside.
///
/// Errors: the reason, if the parent is cancelled already.
pub(crate) fn cancel_with(
    parent: Option<&Arc<CancellationManager>>,
    child: &Arc<CancellationManager>,
    also: impl FnOnce(&Error) + Send + 'static,
) -> Result<CancelLink> {
    let Some(parent) = parent else { return Ok(CancelLink(None)) };
    let child = child.clone();
    let token = parent.register(move |reason| {
        child.cancel(reason.clone());
        also(reason);
    })?;
    Ok(CancelLink(Some((parent.clone(), token))))
}

/// Ends the link between two cancellation managers when dropped.
pub(crate) struct CancelLink(Option<(Arc<CancellationManager>, ferroflow_graph::kernel::CancellationToken)>);

impl Drop for CancelLink {
    fn drop(&mut self) {
        if let Some((parent, token)) = self.0.take() {
            parent.deregister(token);
        }
    }
}

enum Slot<T> {
    Empty(Option<Waker>),
    Full(Result<T>),
    Taken,
}

/// The result of a call as a future, for control flow that is easier to read that way. Bound to no runtime.
pub struct Pending<T> {
    slot: Arc<Mutex<Slot<T>>>,
}

/// Starts a call and returns its result as a future.
pub fn pending<T: Send + 'static>(start: impl FnOnce(Done<T>)) -> Pending<T> {
    let slot = Arc::new(Mutex::new(Slot::Empty(None)));
    let end = CallEnd { slot: slot.clone(), called: false };
    start(Box::new(move |result| end.finish(result)));
    Pending { slot }
}

struct CallEnd<T> {
    slot: Arc<Mutex<Slot<T>>>,
    called: bool,
}

impl<T> CallEnd<T> {
    fn finish(mut self, result: Result<T>) {
        self.called = true;
        self.set(result);
    }

    fn set(&self, result: Result<T>) {
        let before = std::mem::replace(&mut *self.slot.lock(), Slot::Full(result));
        if let Slot::Empty(Some(waker)) = before {
            waker.wake();
        }
    }
}

impl<T> Drop for CallEnd<T> {
    fn drop(&mut self) {
        if !self.called {
            self.set(Err(ferroflow_tensor::error::internal("a call was dropped without a result")));
        }
    }
}

impl<T> Future for Pending<T> {
    type Output = Result<T>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context) -> Poll<Result<T>> {
        let mut slot = self.slot.lock();
        match std::mem::replace(&mut *slot, Slot::Taken) {
            Slot::Full(result) => Poll::Ready(result),
            Slot::Empty(_) => {
                *slot = Slot::Empty(Some(cx.waker().clone()));
                Poll::Pending
            }
            Slot::Taken => Poll::Ready(Err(ferroflow_tensor::error::internal("a call's result was taken twice"))),
        }
    }
}

/// Runs futures at once and returns their results in order.
pub(crate) async fn join_all<F: Future + Send>(futures: impl IntoIterator<Item = F>) -> Vec<F::Output> {
    let mut running: Vec<Pin<Box<F>>> = futures.into_iter().map(Box::pin).collect();
    let mut results: Vec<Option<F::Output>> = running.iter().map(|_| None).collect();
    std::future::poll_fn(|cx| {
        let mut waiting = false;
        for (future, result) in running.iter_mut().zip(&mut results) {
            if result.is_none() {
                match future.as_mut().poll(cx) {
                    Poll::Ready(value) => *result = Some(value),
                    Poll::Pending => waiting = true,
                }
            }
        }
        if waiting { Poll::Pending } else { Poll::Ready(()) }
    })
    .await;
    results.into_iter().flatten().collect()
}

/// Waits for a future on the calling thread. Not for threads that drive a transport.
pub fn block_on<F: Future>(future: F) -> F::Output {
    struct Unpark(std::thread::Thread);
    impl std::task::Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }
    let waker = Waker::from(Arc::new(Unpark(std::thread::current())));
    let mut future = std::pin::pin!(future);
    loop {
        match future.as_mut().poll(&mut Context::from_waker(&waker)) {
            Poll::Ready(value) => return value,
            Poll::Pending => std::thread::park(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_callback_that_is_dropped_ends_the_call() {
        let result = block_on(pending::<()>(drop));
        assert!(result.unwrap_err().message().contains("dropped without a result"));
    }

    #[test]
    fn results_come_in_the_order_of_the_calls() {
        let mut later: Vec<Done<i32>> = Vec::new();
        let calls: Vec<Pending<i32>> = (0..3).map(|_| pending(|done| later.push(done))).collect();
        let thread = std::thread::spawn(move || later.into_iter().enumerate().rev().for_each(|(i, done)| done(Ok(i as i32))));
        let results: Vec<i32> = block_on(join_all(calls)).into_iter().map(|r| r.unwrap()).collect();
        thread.join().unwrap();
        assert_eq!(results, [0, 1, 2]);
    }
}
