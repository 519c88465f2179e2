//! Spreading a loop over the caller's compute threads. This crate starts no thread of its own: whoever calls it hands in a
//! [`ParallelFor`], which is TensorFlow's `Shard` over the device's intra-op thread pool.

use std::marker::PhantomData;
use std::ops::Range;

/// A pool that can run the same body for many task numbers at once.
pub trait ParallelFor: Sync {
    /// How many bodies can run at the same time; at least 1.
    fn threads(&self) -> usize;

    /// Calls `body(0)`, …, `body(tasks - 1)`, in any order and on any thread, and returns when all calls have returned.
    fn run(&self, tasks: usize, body: &(dyn Fn(usize) + Sync));
}

/// Runs every task on the calling thread, in order.
#[derive(Clone, Copy, Debug, Default)]
pub struct Inline;

impl ParallelFor for Inline {
    fn threads(&self) -> usize {
        1
    }

    fn run(&self, tasks: usize, body: &(dyn Fn(usize) + Sync)) {
        (0..tasks).for_each(body);
    }
}

/// Splits `0..len` into ranges of about `grain` or more, at most four for each thread, and runs `body` on each of them.
/// A range shorter than two grains, or a pool with one thread, runs on the calling thread without any dispatch.
pub fn for_each_range(pool: &dyn ParallelFor, len: usize, grain: usize, body: &(dyn Fn(Range<usize>) + Sync)) {
    let tasks = task_count(pool, len, grain);
    if tasks <= 1 {
        if len > 0 {
            body(0..len);
        }
        return;
    }
    let size = len.div_ceil(tasks);
    pool.run(tasks, &|task| {
        let range = (task * size).min(len)..((task + 1) * size).min(len);
        if !range.is_empty() {
            body(range);
        }
    });
}

/// Like [`for_each_range`], over a slice that holds `len` items of `out.len() / len` elements each (rows of a matrix, say):
/// `body` gets the range of items and the part of `out` that holds them.
pub fn for_each_part<T: Send>(
    pool: &dyn ParallelFor,
    out: &mut [T],
    len: usize,
    grain: usize,
    body: &(dyn Fn(Range<usize>, &mut [T]) + Sync),
) {
    let width = out.len().checked_div(len).unwrap_or(0);
    let parts = Parts::new(out);
    for_each_range(pool, len, grain, &|range| {
        // SAFETY: the ranges of for_each_range do not overlap, and neither do their multiples by `width`; the
        // multiples end at len * width <= out.len().
        let part = unsafe { parts.get(range.start * width..range.end * width) };
        body(range, part);
    });
}

/// In how many tasks `len` items are cut.
fn task_count(pool: &dyn ParallelFor, len: usize, grain: usize) -> usize {
    let threads = pool.threads();
    if threads <= 1 { 1 } else { (len / grain.max(1)).min(threads * 4) }
}

/// A mutable slice of which several tasks use disjoint parts.
pub(crate) struct Parts<'a, T> {
    start: *mut T,
    len: usize,
    life: PhantomData<&'a mut [T]>,
}

// SAFETY: a part is handed out only through `get`, whose caller promises that parts do not overlap; then each element is
// used by one thread only, which is what T: Send allows.
unsafe impl<T: Send> Sync for Parts<'_, T> {}

impl<'a, T> Parts<'a, T> {
    pub(crate) fn new(slice: &'a mut [T]) -> Self {
        Parts { start: slice.as_mut_ptr(), len: slice.len(), life: PhantomData }
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// The first element, for kernels that address a block by strides.
    pub(crate) fn as_mut_ptr(&self) -> *mut T {
        self.start
    }

    /// The elements of `range`; panics when they lie outside the slice.
    ///
    /// # Safety
    /// No two live parts may overlap.
    #[allow(clippy::mut_from_ref)]
    pub(crate) unsafe fn get(&self, range: Range<usize>) -> &mut [T] {
        assert!(range.start <= range.end && range.end <= self.len, "part {range:?} of {} elements", self.len);
        // SAFETY: inside the slice (checked above); not aliased (promised by the caller).
        unsafe { std::slice::from_raw_parts_mut(self.start.add(range.start), range.len()) }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// A real pool for tests: each task on a thread of its own.
    pub(crate) struct Threads(pub usize);

    impl ParallelFor for Threads {
        fn threads(&self) -> usize {
            self.0
        }

        fn run(&self, tasks: usize, body: &(dyn Fn(usize) + Sync)) {
            std::thread::scope(|scope| {
                for task in 0..tasks {
                    scope.spawn(move || body(task));
                }
            });
        }
    }

    #[test]
    fn every_item_is_visited_once_whatever_the_split() {
        for len in [0, 1, 2, 7, 64, 1000] {
            for grain in [0, 1, 3, 500, 5000] {
                for threads in [1, 2, 5] {
                    let seen: Vec<_> = (0..len).map(|_| AtomicUsize::new(0)).collect();
                    for_each_range(&Threads(threads), len, grain, &|range| {
                        for i in range {
                            seen[i].fetch_add(1, Ordering::Relaxed);
                        }
                    });
                    assert!(seen.iter().all(|n| n.load(Ordering::Relaxed) == 1), "{len} {grain} {threads}");
                }
            }
        }
    }

    #[test]
    fn parts_of_a_slice_follow_the_items() {
        let mut out = vec![0usize; 30 * 3];
        for_each_part(&Threads(4), &mut out, 30, 2, &|range, part| {
            for (i, row) in range.zip(part.chunks_mut(3)) {
                row.fill(i);
            }
        });
        assert!(out.iter().enumerate().all(|(i, &v)| v == i / 3));
        for_each_part(&Inline, &mut [] as &mut [usize], 0, 1, &|_, _| unreachable!());
    }
}
