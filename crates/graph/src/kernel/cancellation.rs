//! `CancellationManager`: who waits in a step registers how to be woken; cancelling wakes all of them once (TF's class of that name).

use ferroflow_tensor::Error;
use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};

/// Names a registered callback.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CancellationToken(u64);

type Callback = Box<dyn FnOnce(&Error) + Send>;

#[derive(Default)]
struct State {
    next: u64,
    callbacks: HashMap<u64, Callback>,
    reason: Option<Error>,
}

/// The cancellation of one step. Cancelling is final.
#[derive(Default)]
pub struct CancellationManager {
    cancelled: AtomicBool,
    state: Mutex<State>,
}

impl CancellationManager {
    /// One that is not cancelled.
    #[inline]
    pub fn new() -> CancellationManager {
        CancellationManager::default()
    }

    /// Whether the step is cancelled; cheap enough for inner loops.
    #[inline]
    pub fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Acquire)
    }

    /// Why it is cancelled.
    #[inline]
    pub fn reason(&self) -> Option<Error> {
        self.state.lock().reason.clone()
    }

    /// Registers what is to happen on cancellation; it runs on the thread that cancels and must not block.
    ///
    /// Errors: the reason, if the step is cancelled already; the callback is then dropped without being called.
    pub fn register(&self, callback: impl FnOnce(&Error) + Send + 'static) -> Result<CancellationToken, Error> {
        let mut state = self.state.lock();
        if let Some(reason) = &state.reason {
            return Err(reason.clone());
        }
        let token = state.next;
        state.next += 1;
        state.callbacks.insert(token, Box::new(callback));
        Ok(CancellationToken(token))
    }

    /// Removes a callback. Returns false if it has been called, is being called or never existed.
    #[inline]
    pub fn deregister(&self, token: CancellationToken) -> bool {
        self.state.lock().callbacks.remove(&token.0).is_some()
    }

    /// Cancels, for this reason; later reasons are ignored.
    pub fn cancel(&self, reason: Error) {
        let callbacks = {
            let mut state = self.state.lock();
            if state.reason.is_some() {
                return;
            }
            state.reason = Some(reason.clone());
            self.cancelled.store(true, Ordering::Release);
            std::mem::take(&mut state.callbacks)
        };
        for callback in callbacks.into_values() {
            callback(&reason);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ferroflow_tensor::error::cancelled;
    use std::sync::Arc;
    use std::sync::atomic::AtomicU32;

    #[test]
    fn callbacks_run_once_and_not_after_deregistration() {
        let m = CancellationManager::new();
        let calls = Arc::new(AtomicU32::new(0));
        let (a, b) = (calls.clone(), calls.clone());
        m.register(move |_| {
            a.fetch_add(1, Ordering::SeqCst);
        })
        .unwrap();
        let token = m
            .register(move |_| {
                b.fetch_add(10, Ordering::SeqCst);
            })
            .unwrap();
        assert!(m.deregister(token));
        m.cancel(cancelled("stop"));
        m.cancel(cancelled("again"));
        assert_eq!(calls.load(Ordering::SeqCst), 1);
        assert_eq!(m.register(|_| ()).unwrap_err().bare_message(), "stop");
    }
}
