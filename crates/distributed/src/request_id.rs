//! `RecentRequestIds`: refuses a request that arrives twice, as a retried RPC does whose first answer was lost (TF's class of that name).

use ferroflow_tensor::Result;
use ferroflow_tensor::error::aborted;
use parking_lot::Mutex;
use std::collections::{HashSet, VecDeque};

/// The last ids seen.
pub(crate) struct RecentRequestIds {
    capacity: usize,
    seen: Mutex<(HashSet<i64>, VecDeque<i64>)>,
}

impl RecentRequestIds {
    pub(crate) fn new(capacity: usize) -> RecentRequestIds {
        RecentRequestIds { capacity, seen: Mutex::default() }
    }

    /// Remembers an id; 0 stands for a client that sends none.
    ///
    /// Errors: `Aborted` `The same … request was received twice. …`.
    pub(crate) fn track(&self, id: i64, what: &str) -> Result<()> {
        if id == 0 {
            return Ok(());
        }
        let mut seen = self.seen.lock();
        let (set, order) = &mut *seen;
        if !set.insert(id) {
            return Err(aborted(format!("The same {what} request was received twice. request_id: {id}")));
        }
        order.push_back(id);
        if order.len() > self.capacity
            && let Some(oldest) = order.pop_front()
        {
            set.remove(&oldest);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_refused_while_it_is_remembered() {
        let ids = RecentRequestIds::new(2);
        ids.track(0, "RunStep (Master)").unwrap();
        ids.track(0, "RunStep (Master)").unwrap();
        ids.track(7, "RunStep (Master)").unwrap();
        assert!(ids.track(7, "RunStep (Master)").unwrap_err().message().contains("received twice"));
        ids.track(8, "x").unwrap();
        ids.track(9, "x").unwrap();
        ids.track(7, "x").unwrap();
    }
}
