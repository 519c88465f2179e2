//! `Pool`: the compute threads of a task (TF: the inter-op and intra-op thread pools, which are one here).
//!
//! Jobs wait in one queue: only work worth a thread is sent here, so the queue's lock is not where time goes. Whoever calls
//! [`ComputePool::parallel_for`] works with the pool's threads and never waits for a thread that has not begun, so loops may nest.

use ferroflow_graph::kernel::ComputePool;
use parking_lot::{Condvar, Mutex};
use std::any::Any;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::JoinHandle;

type Job = Box<dyn FnOnce() + Send>;

#[derive(Default)]
struct Queue {
    jobs: VecDeque<Job>,
    idle: usize,
    closing: bool,
}

#[derive(Default)]
struct Shared {
    queue: Mutex<Queue>,
    work: Condvar,
}

impl Shared {
    fn push(&self, job: Job) {
        let mut queue = self.queue.lock();
        queue.jobs.push_back(job);
        let wake = queue.idle > 0;
        drop(queue);
        if wake {
            self.work.notify_one();
        }
    }

    fn next(&self) -> Option<Job> {
        let mut queue = self.queue.lock();
        loop {
            if let Some(job) = queue.jobs.pop_front() {
                return Some(job);
            }
            if queue.closing {
                return None;
            }
            queue.idle += 1;
            self.work.wait(&mut queue);
            queue.idle -= 1;
        }
    }
}

/// Threads that run jobs. Dropping it runs what is queued and joins the threads.
pub struct Pool {
    shared: Arc<Shared>,
    threads: Vec<JoinHandle<()>>,
}

impl Pool {
    /// A pool of this many threads, at least one.
    pub fn new(threads: usize) -> Pool {
        let shared = Arc::new(Shared::default());
        let start = |i: usize| {
            let shared = shared.clone();
            std::thread::Builder::new().name(format!("ferroflow-{i}")).spawn(move || {
                while let Some(job) = shared.next() {
                    // Kernels catch their own panics; one that gets here must not cost the task a thread.
                    if let Err(panic) = catch_unwind(AssertUnwindSafe(job)) {
                        tracing::error!("a job of the compute pool panicked: {}", panic_message(&*panic));
                    }
                }
            })
        };
        // A system that refuses threads leaves a smaller pool; without any, jobs run where they are spawned.
        let threads = (0..threads.max(1)).map_while(|i| start(i).map_err(|e| tracing::error!("cannot start a thread: {e}")).ok()).collect();
        Pool { shared, threads }
    }

    /// A pool of as many threads as the machine has cores for this process.
    pub fn for_this_machine() -> Pool {
        Pool::new(std::thread::available_parallelism().map_or(1, |n| n.get()))
    }
}

/// What a panic says.
pub(crate) fn panic_message(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(|s| s.as_str())).unwrap_or("no message")
}

/// A loop that several threads work on.
struct Loop {
    /// The body, with the lifetime of the caller's reference removed.
    body: *const (dyn Fn(usize) + Sync),
    tasks: usize,
    next: AtomicUsize,
    state: Mutex<LoopState>,
    finished: Condvar,
}

#[derive(Default)]
struct LoopState {
    done: usize,
    panic: Option<Box<dyn Any + Send>>,
}

// SAFETY: `body` is `Sync`, and it is used only as `work` says.
unsafe impl Send for Loop {}
// SAFETY: as above.
unsafe impl Sync for Loop {}

impl Loop {
    /// Runs bodies until none is left to begin.
    fn work(&self) {
        let mut done = 0;
        loop {
            let i = self.next.fetch_add(1, Ordering::Relaxed);
            if i >= self.tasks {
                break;
            }
            // SAFETY: number `i` is not done yet, so the caller of `parallel_for` still waits and its body is alive.
            let body = unsafe { &*self.body };
            if let Err(panic) = catch_unwind(AssertUnwindSafe(|| body(i))) {
                self.state.lock().panic.get_or_insert(panic);
            }
            done += 1;
        }
        if done > 0 {
            let mut state = self.state.lock();
            state.done += done;
            if state.done == self.tasks {
                self.finished.notify_all();
            }
        }
    }
}

impl ComputePool for Pool {
    fn threads(&self) -> usize {
        self.threads.len().max(1)
    }

    fn parallel_for(&self, tasks: usize, body: &(dyn Fn(usize) + Sync)) {
        if tasks <= 1 || self.threads.is_empty() {
            (0..tasks).for_each(body);
            return;
        }
        // SAFETY: only the lifetime changes; `work` uses the body only while this function waits for `done`.
        let body = unsafe { std::mem::transmute::<&(dyn Fn(usize) + Sync), &'static (dyn Fn(usize) + Sync)>(body) };
        let shared = Arc::new(Loop { body, tasks, next: AtomicUsize::new(0), state: Mutex::default(), finished: Condvar::new() });
        for _ in 0..self.threads.len().min(tasks - 1) {
            let shared = shared.clone();
            self.shared.push(Box::new(move || shared.work()));
        }
        shared.work();
        let mut state = shared.state.lock();
        while state.done < tasks {
            shared.finished.wait(&mut state);
        }
        if let Some(panic) = state.panic.take() {
            drop(state);
            resume_unwind(panic);
        }
    }

    fn spawn(&self, job: Box<dyn FnOnce() + Send>) {
        if self.threads.is_empty() { job() } else { self.shared.push(job) }
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.shared.queue.lock().closing = true;
        self.shared.work.notify_all();
        let me = std::thread::current().id();
        for thread in self.threads.drain(..) {
            // The last owner may be a job of the pool itself; that thread ends by itself.
            if thread.thread().id() != me && thread.join().is_err() {
                tracing::error!("a compute thread panicked");
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;

    #[test]
    fn a_loop_runs_every_index_once() {
        let pool = Pool::new(3);
        for tasks in [0, 1, 2, 1000] {
            let counts: Vec<AtomicUsize> = (0..tasks).map(|_| AtomicUsize::new(0)).collect();
            pool.parallel_for(tasks, &|i| {
                counts[i].fetch_add(1, Ordering::Relaxed);
            });
            assert!(counts.iter().all(|c| c.load(Ordering::Relaxed) == 1));
        }
    }

    #[test]
    fn loops_nest_on_a_single_thread() {
        let pool = Arc::new(Pool::new(1));
        let total = Arc::new(AtomicUsize::new(0));
        let (sender, receiver) = mpsc::channel();
        let (p, t) = (pool.clone(), total.clone());
        pool.spawn(Box::new(move || {
            p.parallel_for(4, &|_| {
                p.parallel_for(4, &|_| {
                    t.fetch_add(1, Ordering::Relaxed);
                })
            });
            sender.send(()).unwrap();
        }));
        receiver.recv().unwrap();
        assert_eq!(total.load(Ordering::Relaxed), 16);
    }

    #[test]
    fn a_panic_in_a_loop_reaches_its_caller_and_the_threads_live_on() {
        let pool = Pool::new(2);
        let caught = catch_unwind(AssertUnwindSafe(|| pool.parallel_for(8, &|i| assert!(i != 5, "five"))));
        assert!(panic_message(&*caught.unwrap_err()).contains("five"));
        pool.spawn(Box::new(|| panic!("alone")));
        let (sender, receiver) = mpsc::channel();
        pool.spawn(Box::new(move || sender.send(7).unwrap()));
        assert_eq!(receiver.recv().unwrap(), 7);
    }

    #[test]
    fn dropping_the_pool_runs_what_is_queued() {
        let count = Arc::new(AtomicUsize::new(0));
        let pool = Pool::new(2);
        for _ in 0..100 {
            let count = count.clone();
            pool.spawn(Box::new(move || {
                count.fetch_add(1, Ordering::Relaxed);
            }));
        }
        drop(pool);
        assert_eq!(count.load(Ordering::Relaxed), 100);
    }

    #[test]
    fn a_job_may_own_the_pool() {
        let pool = Arc::new(Pool::new(2));
        let (sender, receiver) = mpsc::channel();
        let (hold, held) = mpsc::channel::<()>();
        let own = pool.clone();
        pool.spawn(Box::new(move || {
            held.recv().unwrap();
            drop(own);
            sender.send(()).unwrap();
        }));
        drop(pool);
        hold.send(()).unwrap();
        receiver.recv().unwrap();
    }
}
