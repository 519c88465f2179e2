//! Where a step's work runs: short steps on the event loop itself, long ones on the compute pool.
//!
//! Handing work to another thread and its answer back costs tens of microseconds, more than many a step; running a long step on the
//! event loop would keep all other calls waiting. So each kind of work is timed, and a kind that has lately been short stays where it is.

use ferroflow_graph::kernel::ComputePool;
use parking_lot::Mutex;
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Work that takes less than this on average runs on the event loop.
const SHORT: Duration = Duration::from_micros(50);
/// Kinds of work that are remembered; when there are more, all are learnt anew.
const MOST_KINDS: usize = 16_384;

/// Knows how long kinds of work take, and runs work accordingly.
pub(crate) struct Inline {
    pool: Arc<dyn ComputePool>,
    /// Moving averages in microseconds.
    averages: Mutex<HashMap<u64, f32>>,
}

/// Names a kind of work.
pub(crate) fn kind(of: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    of.hash(&mut hasher);
    hasher.finish()
}

impl Inline {
    pub(crate) fn new(pool: Arc<dyn ComputePool>) -> Arc<Inline> {
        Arc::new(Inline { pool, averages: Mutex::default() })
    }

    /// The pool.
    pub(crate) fn pool(&self) -> &Arc<dyn ComputePool> {
        &self.pool
    }

    /// Runs work of this kind, here if that has been short, else on the pool.
    pub(crate) fn run(self: &Arc<Self>, kind: u64, work: impl FnOnce() + Send + 'static) {
        if self.is_short(kind) {
            return self.time(kind, work);
        }
        let this = self.clone();
        self.pool.spawn(Box::new(move || this.time(kind, work)));
    }

    /// Runs work on the pool whose length is not known and does not repeat.
    pub(crate) fn spawn(&self, work: impl FnOnce() + Send + 'static) {
        self.pool.spawn(Box::new(work));
    }

    fn is_short(&self, kind: u64) -> bool {
        self.averages.lock().get(&kind).is_some_and(|&micros| micros < SHORT.as_micros() as f32)
    }

    fn time(&self, kind: u64, work: impl FnOnce()) {
        let started = Instant::now();
        // Whoever waits for the work learns of a panic by the callback that is dropped; the event loop goes on.
        if catch_unwind(AssertUnwindSafe(work)).is_err() {
            tracing::error!("the handler of a call panicked");
        }
        self.learn(kind, started.elapsed());
    }

    fn learn(&self, kind: u64, took: Duration) {
        const WEIGHT: f32 = 0.25;
        let micros = took.as_secs_f32() * 1e6;
        let mut averages = self.averages.lock();
        if averages.len() >= MOST_KINDS {
            averages.clear();
        }
        averages.entry(kind).and_modify(|a| *a += (micros - *a) * WEIGHT).or_insert(micros);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// Counts what is handed to it, and runs it.
    #[derive(Default)]
    struct CountingPool(AtomicUsize);

    impl ComputePool for CountingPool {
        fn threads(&self) -> usize {
            1
        }
        fn parallel_for(&self, tasks: usize, body: &(dyn Fn(usize) + Sync)) {
            (0..tasks).for_each(body);
        }
        fn spawn(&self, job: Box<dyn FnOnce() + Send>) {
            self.0.fetch_add(1, Ordering::SeqCst);
            job();
        }
    }

    #[test]
    fn a_kind_moves_to_the_pool_while_it_is_long_and_back() {
        let pool = Arc::new(CountingPool::default());
        let inline = Inline::new(pool.clone());
        let k = kind("step");
        let spawned_by_a_run = || {
            let before = pool.0.load(Ordering::SeqCst);
            inline.run(k, || ());
            pool.0.load(Ordering::SeqCst) - before
        };
        assert_eq!(spawned_by_a_run(), 1, "nothing is known at first");
        inline.learn(k, Duration::from_secs(1));
        assert_eq!(spawned_by_a_run(), 1);
        (0..100).for_each(|_| inline.learn(k, Duration::from_micros(1)));
        assert_eq!(spawned_by_a_run(), 0);
    }

    #[test]
    fn a_panic_in_the_work_is_not_a_panic_of_the_event_loop() {
        let inline = Inline::new(Arc::new(CountingPool::default()));
        inline.run(kind(1), || panic!("in a test"));
    }
}
