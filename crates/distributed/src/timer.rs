//! `Timer`: calls back after a while. One thread per task, started when it is first needed; independent of any async runtime.

use crate::call::{Pending, pending};
use parking_lot::{Condvar, Mutex};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

type Callback = Box<dyn FnOnce() + Send>;

#[derive(Default)]
struct State {
    due: BTreeMap<(Instant, u64), Callback>,
    next: u64,
    running: bool,
    closing: bool,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

/// Calls back after a while.
#[derive(Default)]
pub struct Timer {
    shared: Arc<Shared>,
}

/// A callback that has not been called yet; dropping it takes it back.
pub struct Alarm {
    shared: Arc<Shared>,
    key: (Instant, u64),
}

impl Drop for Alarm {
    fn drop(&mut self) {
        // The callback may own what drops alarms: it goes after the lock.
        let callback = self.shared.state.lock().due.remove(&self.key);
        drop(callback);
    }
}

impl Timer {
    /// A timer without callbacks.
    pub fn new() -> Timer {
        Timer::default()
    }

    /// Calls `callback` on the timer's thread after `delay`, unless the alarm is dropped before. It must not block.
    pub fn after(&self, delay: Duration, callback: impl FnOnce() + Send + 'static) -> Alarm {
        // What is further away than a century is never due.
        const NEVER: Duration = Duration::from_secs(100 * 365 * 24 * 3600);
        let at = Instant::now() + delay.min(NEVER);
        let mut state = self.shared.state.lock();
        let key = (at, state.next);
        state.next += 1;
        state.due.insert(key, Box::new(callback));
        if !state.running {
            let shared = self.shared.clone();
            match std::thread::Builder::new().name("ferroflow-timer".into()).spawn(move || run(&shared)) {
                Ok(_) => state.running = true,
                Err(e) => tracing::error!("cannot start the timer's thread: {e}"),
            }
        }
        self.shared.changed.notify_one();
        drop(state);
        Alarm { shared: self.shared.clone(), key }
    }

    /// Ends after `delay`.
    pub fn sleep(&self, delay: Duration) -> Sleep {
        let mut alarm = None;
        let over = pending(|done| alarm = Some(self.after(delay, move || done(Ok(())))));
        Sleep { over, _alarm: alarm }
    }
}

/// See [`Timer::sleep`].
pub struct Sleep {
    over: Pending<()>,
    _alarm: Option<Alarm>,
}

impl Future for Sleep {
    type Output = ();

    fn poll(mut self: std::pin::Pin<&mut Self>, cx: &mut std::task::Context) -> std::task::Poll<()> {
        std::pin::Pin::new(&mut self.over).poll(cx).map(drop)
    }
}

fn run(shared: &Shared) {
    let mut state = shared.state.lock();
    while !state.closing {
        let now = Instant::now();
        match state.due.first_key_value().map(|(key, _)| *key) {
            None => shared.changed.wait(&mut state),
            Some((at, _)) if at > now => drop(shared.changed.wait_until(&mut state, at)),
            Some(key) => {
                if let Some(callback) = state.due.remove(&key) {
                    drop(state);
                    callback();
                    state = shared.state.lock();
                }
            }
        }
    }
    let left = std::mem::take(&mut state.due);
    drop(state);
    drop(left);
}

impl Drop for Timer {
    fn drop(&mut self) {
        self.shared.state.lock().closing = true;
        self.shared.changed.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;

    #[test]
    fn callbacks_come_in_the_order_of_their_times() {
        let timer = Timer::new();
        let (sender, receiver) = mpsc::channel();
        let other = sender.clone();
        let _late = timer.after(Duration::from_millis(20), move || sender.send(2).unwrap());
        let _early = timer.after(Duration::from_millis(1), move || other.send(1).unwrap());
        assert_eq!(receiver.iter().collect::<Vec<_>>(), [1, 2]);
    }

    #[test]
    fn a_dropped_alarm_does_not_ring() {
        let timer = Timer::new();
        let (sender, receiver) = mpsc::channel::<()>();
        drop(timer.after(Duration::from_secs(3600), move || sender.send(()).unwrap()));
        assert!(receiver.recv().is_err(), "the callback is gone");
    }

    #[test]
    fn endless_delays_are_allowed() {
        drop(Timer::new().after(Duration::MAX, || ()));
    }
}
