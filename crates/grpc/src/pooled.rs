//! Futures that compute between their waits, such as opening a session: they are polled on the compute pool, not on the event loop.

use ferroflow_graph::kernel::ComputePool;
use parking_lot::Mutex;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Wake, Waker};

/// A future that is under way, until it has ended or was given up.
pub(crate) struct Pooled {
    pool: Arc<dyn ComputePool>,
    future: Mutex<Option<Pin<Box<dyn Future<Output = ()> + Send>>>>,
}

impl Pooled {
    /// Starts a future.
    pub(crate) fn start(pool: &Arc<dyn ComputePool>, future: impl Future<Output = ()> + Send + 'static) -> Arc<Pooled> {
        let pooled = Arc::new(Pooled { pool: pool.clone(), future: Mutex::new(Some(Box::pin(future))) });
        pooled.clone().wake();
        pooled
    }

    /// Drops the future where it is.
    pub(crate) fn give_up(&self) {
        let future = self.future.lock().take();
        drop(future);
    }

    fn poll(self: &Arc<Self>) {
        let mut slot = self.future.lock();
        let Some(future) = slot.as_mut() else { return };
        if future.as_mut().poll(&mut Context::from_waker(&Waker::from(self.clone()))).is_ready() {
            let ended = slot.take();
            drop(slot);
            drop(ended);
        }
    }
}

impl Wake for Pooled {
    fn wake(self: Arc<Self>) {
        let pool = self.pool.clone();
        pool.spawn(Box::new(move || self.poll()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ferroflow_runtime::Pool;
    use std::sync::mpsc;

    #[test]
    fn a_future_goes_on_when_it_is_woken_and_ends_when_it_is_given_up() {
        let pool: Arc<dyn ComputePool> = Arc::new(Pool::new(1));
        let (wake, woken) = tokio::sync::oneshot::channel::<i32>();
        let (tell, told) = mpsc::channel();
        let first = Pooled::start(&pool, async move {
            let value = woken.await.unwrap_or(0);
            tell.send(value).unwrap();
        });
        wake.send(7).unwrap();
        assert_eq!(told.recv().unwrap(), 7);
        drop(first);
        let (held, dropped) = mpsc::channel::<()>();
        let endless = Pooled::start(&pool, async move {
            let _held = held;
            std::future::pending::<()>().await;
        });
        endless.give_up();
        assert!(dropped.recv().is_err(), "what the future held is gone");
    }
}
