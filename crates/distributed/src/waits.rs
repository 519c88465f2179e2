//! `Waits`: who waits for which task, since when and why. Shown in logs, errors and status pages.

use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// One wait for a task.
#[derive(Clone, Debug)]
pub struct Wait {
    /// What is waited for, such as `the session's start`.
    pub what: String,
    /// The task, `/job:ps/replica:0/task:0`.
    pub task: String,
    /// Where it is expected to listen.
    pub address: String,
    /// Since when.
    pub since: Instant,
    /// What the last attempt came to.
    pub last_error: Option<String>,
}

impl Wait {
    /// One sentence for logs and errors.
    pub fn describe(&self) -> String {
        let seconds = self.since.elapsed().as_secs_f32();
        let last = self.last_error.as_deref().unwrap_or("no answer yet");
        format!("{} at {} does not answer since {seconds:.1} s ({last})", self.task, self.address)
    }
}

#[derive(Default)]
struct State {
    next: u64,
    waits: BTreeMap<u64, Wait>,
}

/// The waits of a task.
#[derive(Clone, Default)]
pub struct Waits {
    state: Arc<Mutex<State>>,
}

/// A wait that goes on until this is dropped.
pub struct Waiting {
    state: Arc<Mutex<State>>,
    id: u64,
}

impl Waits {
    /// Notes a wait.
    pub fn begin(&self, what: impl Into<String>, task: impl Into<String>, address: impl Into<String>) -> Waiting {
        let mut state = self.state.lock();
        let id = state.next;
        state.next += 1;
        let wait = Wait { what: what.into(), task: task.into(), address: address.into(), since: Instant::now(), last_error: None };
        state.waits.insert(id, wait);
        Waiting { state: self.state.clone(), id }
    }

    /// All waits, the oldest first.
    pub fn list(&self) -> Vec<Wait> {
        self.state.lock().waits.values().cloned().collect()
    }
}

impl Waiting {
    /// Notes what an attempt came to.
    pub fn failed(&self, error: &ferroflow_tensor::Error) {
        if let Some(wait) = self.state.lock().waits.get_mut(&self.id) {
            wait.last_error = Some(error.message());
        }
    }

    /// How long it has lasted.
    pub fn elapsed(&self) -> Duration {
        self.state.lock().waits.get(&self.id).map_or(Duration::ZERO, |w| w.since.elapsed())
    }

    /// One sentence for logs and errors.
    pub fn describe(&self) -> String {
        self.state.lock().waits.get(&self.id).map(|w| w.describe()).unwrap_or_default()
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        self.state.lock().waits.remove(&self.id);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wait_is_listed_while_it_lasts_and_tells_why() {
        let waits = Waits::default();
        let wait = waits.begin("start", "/job:ps/replica:0/task:0", "h:1");
        wait.failed(&ferroflow_tensor::error::unavailable("connection refused"));
        assert!(waits.list()[0].describe().starts_with("/job:ps/replica:0/task:0 at h:1 does not answer since"));
        assert!(wait.describe().ends_with("s (connection refused)"), "{}", wait.describe());
        drop(wait);
        assert!(waits.list().is_empty());
    }
}
