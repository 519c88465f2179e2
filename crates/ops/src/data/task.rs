//! `Task`: work that waits without a thread, as iterators of datasets do (TF keeps threads of its own for that: `BackgroundWorker`).
//!
//! A task is a future that the compute pool polls. It belongs to whoever holds it: dropping the `Task` drops the work, and with it
//! whatever the work waits for.

use ferroflow_graph::kernel::ComputePool;
use ferroflow_tensor::Result;
use ferroflow_tensor::error::internal;
use parking_lot::Mutex;
use std::cell::Cell;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake, Waker};

type Work = Pin<Box<dyn Future<Output = ()> + Send>>;

#[derive(Clone, Copy, PartialEq)]
enum Phase {
    /// Waits to be woken.
    Idle,
    /// The pool has it.
    Queued,
    Running,
    /// Woken while it was running.
    RunAgain,
    Over,
}

/// A future and where it stands.
struct Runner {
    work: Mutex<Option<Work>>,
    phase: Mutex<Phase>,
    is_aborted: AtomicBool,
    pool: Arc<dyn ComputePool>,
}

impl Runner {
    fn schedule(self: &Arc<Self>) {
        let runner = self.clone();
        self.pool.spawn(Box::new(move || runner.run()));
    }

    fn run(self: Arc<Self>) {
        *self.phase.lock() = Phase::Running;
        PAUSES_DUE.set(0);
        let waker = Waker::from(self.clone());
        let mut work = self.work.lock();
        // Put back only if it goes on: a panic in it drops it, and whoever waits for its result learns of that.
        let finished = match work.take() {
            Some(mut future) if !self.is_aborted.load(Ordering::Acquire) => {
                if future.as_mut().poll(&mut Context::from_waker(&waker)).is_pending() {
                    *work = Some(future);
                    false
                } else {
                    true
                }
            }
            dropped => {
                drop(dropped);
                true
            }
        };
        drop(work);
        let mut phase = self.phase.lock();
        let again = *phase == Phase::RunAgain;
        *phase = match (finished, again) {
            (true, _) => Phase::Over,
            (false, true) => Phase::Queued,
            (false, false) => Phase::Idle,
        };
        drop(phase);
        if again && !finished {
            self.schedule();
        }
    }
}

impl Wake for Runner {
    fn wake(self: Arc<Self>) {
        let mut phase = self.phase.lock();
        match *phase {
            Phase::Idle => {
                *phase = Phase::Queued;
                drop(phase);
                self.schedule();
            }
            Phase::Running => *phase = Phase::RunAgain,
            Phase::Queued | Phase::RunAgain | Phase::Over => {}
        }
    }
}

enum Slot<T> {
    Empty(Option<Waker>),
    Full(Result<T>),
}

/// Where a result is awaited; whoever fills it wakes the waiter.
pub(crate) struct Promise<T>(Arc<Mutex<Slot<T>>>);

/// The other end of a [`Promise`].
pub(crate) struct Awaited<T>(Arc<Mutex<Slot<T>>>);

/// A promise and what awaits it. A promise that is dropped without an answer is one of `Internal`.
pub(crate) fn promise<T>() -> (Promise<T>, Awaited<T>) {
    let slot = Arc::new(Mutex::new(Slot::Empty(None)));
    (Promise(slot.clone()), Awaited(slot))
}

impl<T> Promise<T> {
    /// Answers; later answers are ignored.
    pub(crate) fn fulfil(self, result: Result<T>) {
        self.fill(result);
    }

    fn fill(&self, result: Result<T>) {
        let mut slot = self.0.lock();
        let Slot::Empty(waker) = &mut *slot else { return };
        let waker = waker.take();
        *slot = Slot::Full(result);
        drop(slot);
        if let Some(waker) = waker {
            waker.wake();
        }
    }
}

impl<T> Drop for Promise<T> {
    fn drop(&mut self) {
        self.fill(Err(internal("the work was dropped before it was done")));
    }
}

impl<T> Future for Awaited<T> {
    type Output = Result<T>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Result<T>> {
        let mut slot = self.0.lock();
        match std::mem::replace(&mut *slot, Slot::Empty(Some(cx.waker().clone()))) {
            Slot::Full(result) => Poll::Ready(result),
            Slot::Empty(_) => Poll::Pending,
        }
    }
}

/// Work under way. Awaiting it gives its result; dropping it aborts it.
pub(crate) struct Task<T> {
    runner: Arc<Runner>,
    result: Awaited<T>,
}

impl<T: Send + 'static> Task<T> {
    /// Begins on a thread of the pool.
    pub(crate) fn spawn(pool: &Arc<dyn ComputePool>, work: impl Future<Output = Result<T>> + Send + 'static) -> Task<T> {
        let (promise, result) = promise();
        let work: Work = Box::pin(async move {
            let result = work.await;
            promise.fulfil(result);
        });
        let (phase, is_aborted) = (Mutex::new(Phase::Queued), AtomicBool::new(false));
        let runner = Arc::new(Runner { work: Mutex::new(Some(work)), phase, is_aborted, pool: pool.clone() });
        runner.schedule();
        Task { runner, result }
    }
}

impl<T> Task<T> {
    /// Drops the work soon, wherever it stands.
    pub(crate) fn abort(&self) {
        self.runner.is_aborted.store(true, Ordering::Release);
        self.runner.clone().wake();
    }
}

impl<T> Future for Task<T> {
    type Output = Result<T>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Result<T>> {
        Pin::new(&mut self.result).poll(cx)
    }
}

impl<T> Drop for Task<T> {
    fn drop(&mut self) {
        self.abort();
    }
}

thread_local! {
    /// How many pauses were due since this thread took up what it does.
    static PAUSES_DUE: Cell<u32> = const { Cell::new(0) };
}

/// Every so many pauses one is made: to queue up again costs more than most elements.
const PAUSE_EVERY: u32 = 32;

/// Lets the pool do something else now and then, and an abort take effect; for loops that may run long without waiting.
pub(crate) async fn pause() {
    let due = PAUSES_DUE.get() + 1;
    PAUSES_DUE.set(due % PAUSE_EVERY);
    if due < PAUSE_EVERY {
        return;
    }
    let mut paused = false;
    std::future::poll_fn(|cx| {
        if std::mem::replace(&mut paused, true) {
            return Poll::Ready(());
        }
        cx.waker().wake_by_ref();
        Poll::Pending
    })
    .await
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::bare_step;
    use std::sync::mpsc;
    use std::time::Duration;

    /// Says so when it is dropped.
    struct Witness(mpsc::Sender<()>);

    impl Drop for Witness {
        fn drop(&mut self) {
            let _ = self.0.send(());
        }
    }

    #[test]
    fn dropping_a_task_drops_work_that_would_never_end() {
        let (sender, receiver) = mpsc::channel();
        let (started, has_started) = mpsc::channel();
        let task: Task<()> = Task::spawn(&bare_step(1).pool, async move {
            let _witness = Witness(sender);
            loop {
                let _ = started.send(());
                pause().await;
            }
        });
        has_started.recv_timeout(Duration::from_secs(30)).unwrap();
        drop(task);
        receiver.recv_timeout(Duration::from_secs(30)).unwrap();
    }

    #[test]
    fn a_panic_reaches_whoever_awaits_the_result() {
        let pool = bare_step(1).pool.clone();
        let failing: Task<i32> = Task::spawn(&pool, async { panic!("on purpose") });
        let (sender, receiver) = mpsc::channel();
        let _outer = Task::spawn(&pool, async move {
            let _ = sender.send(failing.await);
            Ok(())
        });
        let result = receiver.recv_timeout(Duration::from_secs(30)).unwrap();
        assert_eq!(result.unwrap_err().code(), ferroflow_tensor::Code::Internal);
    }
}
