//! `RecentRequestIds`: notices requests that a transport delivered twice (TF's class of that name).

use ferroflow_tensor::Result;
use ferroflow_tensor::error::aborted;
use parking_lot::Mutex;
use std::collections::{HashSet, VecDeque};

#[derive(Default)]
struct Seen {
    ids: HashSet<i64>,
    order: VecDeque<i64>,
}

/// The last so many request ids.
pub struct RecentRequestIds {
    most: usize,
    seen: Mutex<Seen>,
}

impl RecentRequestIds {
    /// One that remembers this many.
    pub fn new(most: usize) -> RecentRequestIds {
        RecentRequestIds { most, seen: Mutex::default() }
    }

    /// Notes an id. 0 means that the sender does not care.
    ///
    /// Errors: `Aborted` if it was noted before; `label` says which method, in TF's words such as `RunGraph (Worker)`.
    pub fn track(&self, id: i64, label: &str) -> Result<()> {
        if id == 0 {
            return Ok(());
        }
        let mut seen = self.seen.lock();
        if !seen.ids.insert(id) {
            return Err(aborted(format!("The same {label} request was received twice. request_id: {id}")));
        }
        seen.order.push_back(id);
        if seen.order.len() > self.most
            && let Some(oldest) = seen.order.pop_front()
        {
            seen.ids.remove(&oldest);
        }
        Ok(())
    }
}

/// A random id that is not 0.
pub fn new_request_id() -> i64 {
    loop {
        let id: i64 = rand::random();
        if id != 0 {
            return id;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_repeated_id_is_refused_until_it_is_forgotten() {
        let recent = RecentRequestIds::new(2);
        recent.track(5, "RunGraph (Worker)").unwrap();
        let e = recent.track(5, "RunGraph (Worker)").unwrap_err();
        assert!(e.message().starts_with("The same RunGraph (Worker) request was received twice."));
        recent.track(6, "x").unwrap();
        recent.track(7, "x").unwrap();
        recent.track(5, "x").unwrap();
        recent.track(0, "x").unwrap();
        recent.track(0, "x").unwrap();
    }
}
