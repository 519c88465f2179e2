//! The runs of a session that are compiled, by what they feed, fetch and run.
//!
//! Two levels: requests as they were written are looked up without sorting or copying a name; different spellings and orders of the
//! same request share one compiled step.

use super::compile::StepSlot;
use ferroflow_runtime::prune::{FeedFetch, Signature, normalized_tensor_name};
use parking_lot::Mutex;
use std::collections::HashMap;
use std::hash::{BuildHasher, Hash, Hasher, RandomState};
use std::sync::Arc;

/// Spellings that are remembered; more than that is a client that makes up requests.
const MOST_BINDINGS: usize = 4096;

/// A request as it was written, bound to its compiled step.
pub(super) struct Binding {
    written: Signature,
    pub slot: Arc<StepSlot>,
    /// For each feed of the request its number in the step.
    pub arg_of_feed: Vec<usize>,
    /// For each fetch of the request its number in the step.
    pub result_of_fetch: Vec<usize>,
}

#[derive(Default)]
pub(super) struct StepCache {
    hasher: RandomState,
    bindings: Mutex<HashMap<u64, Vec<Arc<Binding>>>>,
    slots: Mutex<HashMap<(Signature, FeedFetch), Arc<StepSlot>>>,
}

impl StepCache {
    /// The binding of a request.
    pub fn bind<F: AsRef<str>>(&self, feeds: &[F], fetches: &[String], targets: &[String]) -> Arc<Binding> {
        let mut hasher = self.hasher.build_hasher();
        feeds.iter().for_each(|f| f.as_ref().hash(&mut hasher));
        (feeds.len(), fetches, targets).hash(&mut hasher);
        let hash = hasher.finish();
        let same = |b: &&Arc<Binding>| {
            let w = &b.written;
            w.feeds.len() == feeds.len()
                && w.feeds.iter().zip(feeds).all(|(a, b)| a == b.as_ref())
                && w.fetches == fetches
                && w.targets == targets
        };
        if let Some(known) = self.bindings.lock().get(&hash).and_then(|list| list.iter().find(same)) {
            return known.clone();
        }
        let written = Signature {
            feeds: feeds.iter().map(|f| f.as_ref().to_owned()).collect(),
            fetches: fetches.to_vec(),
            targets: targets.to_vec(),
            ..Signature::default()
        };
        let binding = Arc::new(self.binding(written));
        let mut bindings = self.bindings.lock();
        if bindings.len() >= MOST_BINDINGS {
            bindings.clear();
        }
        bindings.entry(hash).or_default().push(binding.clone());
        binding
    }

    /// The binding of a callable, which keeps it.
    pub fn bind_as_written(&self, written: Signature) -> Arc<Binding> {
        Arc::new(self.binding(written))
    }

    fn binding(&self, written: Signature) -> Binding {
        let slot = self.slot(&written, FeedFetch::CallFrame);
        let at = |list: &[String], name: &String| list.binary_search(&normalized_tensor_name(name)).unwrap_or(0);
        let arg_of_feed = written.feeds.iter().map(|f| at(&slot.signature.feeds, f)).collect();
        let result_of_fetch = written.fetches.iter().map(|f| at(&slot.signature.fetches, f)).collect();
        Binding { written, slot, arg_of_feed, result_of_fetch }
    }

    /// The place of the compiled step of a signature, whatever its order and spelling.
    pub fn slot(&self, written: &Signature, mode: FeedFetch) -> Arc<StepSlot> {
        let mut signature = written.clone().normalized();
        // A tensor that is fed twice stays twice: that is an error to be reported.
        signature.feeds.sort();
        signature.fetches.sort();
        signature.fetches.dedup();
        signature.targets.sort();
        signature.targets.dedup();
        signature.connections.sort();
        let key = (signature, mode);
        let mut slots = self.slots.lock();
        if let Some(slot) = slots.get(&key) {
            return slot.clone();
        }
        let slot = Arc::new(StepSlot::new(key.0.clone(), mode));
        slots.insert(key, slot.clone());
        slot
    }

    /// Forgets a step that could not be compiled.
    pub fn forget(&self, slot: &StepSlot) {
        self.slots.lock().remove(&(slot.signature.clone(), slot.mode));
        self.bindings.lock().retain(|_, list| {
            list.retain(|b| !std::ptr::eq(&*b.slot, slot));
            !list.is_empty()
        });
    }

    /// How many steps it holds.
    pub fn len(&self) -> usize {
        self.slots.lock().len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_and_spellings_of_a_request_share_a_step() {
        let cache = StepCache::default();
        let own = |v: &[&str]| v.iter().map(|s| s.to_string()).collect::<Vec<_>>();
        let a = cache.bind(&["x:0", "a"], &own(&["y", "z:1"]), &own(&["t"]));
        let b = cache.bind(&["a:0", "x"], &own(&["z:1", "y:0"]), &own(&["t"]));
        assert!(Arc::ptr_eq(&a.slot, &b.slot) && !Arc::ptr_eq(&a, &b));
        assert_eq!((a.arg_of_feed.as_slice(), b.arg_of_feed.as_slice()), (&[1, 0][..], &[0, 1][..]));
        assert_eq!((a.result_of_fetch.as_slice(), b.result_of_fetch.as_slice()), (&[0, 1][..], &[1, 0][..]));
        assert!(Arc::ptr_eq(&a, &cache.bind(&["x:0", "a"], &own(&["y", "z:1"]), &own(&["t"]))));
        assert!(!Arc::ptr_eq(&a.slot, &cache.bind(&["x:0"], &own(&["y", "z:1"]), &own(&["t"])).slot));
        cache.forget(&a.slot);
        assert_eq!(cache.len(), 1);
    }
}
