//! The step's compute pool as the pool of `ferroflow_math` (TF: `Shard` over the device's intra-op threads).

use ferroflow_graph::kernel::{ComputePool, StepContext};
use ferroflow_math::ParallelFor;

/// The pool of a step, as `ferroflow_math` takes it.
pub(crate) struct Pool<'a>(&'a dyn ComputePool);

/// The compute pool of a step.
pub(crate) fn pool(step: &StepContext) -> Pool<'_> {
    Pool(&*step.pool)
}

impl ParallelFor for Pool<'_> {
    fn threads(&self) -> usize {
        self.0.threads()
    }

    fn run(&self, tasks: usize, body: &(dyn Fn(usize) + Sync)) {
        self.0.parallel_for(tasks, body);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::bare_step;
    use ferroflow_math::for_each_range;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn a_loop_runs_on_the_steps_pool() {
        let step = bare_step(4);
        let seen: Vec<AtomicUsize> = (0..100).map(|_| AtomicUsize::new(0)).collect();
        for_each_range(&pool(&step), 100, 3, &|range| {
            range.for_each(|i| {
                seen[i].fetch_add(1, Ordering::Relaxed);
            })
        });
        assert_eq!(pool(&step).threads(), 4);
        assert!(seen.iter().all(|n| n.load(Ordering::Relaxed) == 1));
    }
}
