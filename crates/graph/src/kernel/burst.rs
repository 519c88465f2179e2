//! Bursts: what a thread does in one go, with the small work that is better done once at its end.
//!
//! A thread that reads six tensors from a connection ends six waits, perhaps all of one step, and sends six answers to one peer. In a
//! burst the step is resumed once, with all six, and the answers are written by one system call.

use smallvec::SmallVec;
use std::cell::RefCell;
use std::sync::Arc;

/// Work that can be put off to the end of a burst. Put off twice, it may be run twice: what the first has done, the second finds done.
pub trait PutOff: Send + Sync {
    /// Does the work.
    fn run(self: Arc<Self>);
}

/// What may be put off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Burst {
    /// Writes, and steps to resume: for a thread that serves connections, in short pieces.
    Serving,
    /// Writes only: for a thread that may be long about what comes next.
    Computing,
}

type Works = SmallVec<[Arc<dyn PutOff>; 8]>;

#[derive(Default)]
struct State {
    depth: u32,
    serving: bool,
    steps: Works,
    writes: Works,
}

thread_local! {
    static STATE: RefCell<State> = RefCell::default();
}

/// Runs `f`, then what it has put off. A burst within a burst belongs to the outer one.
pub fn burst<R>(kind: Burst, f: impl FnOnce() -> R) -> R {
    let begun = Begun::new(kind);
    let result = f();
    drop(begun);
    result
}

/// Puts resuming a step off to the end of this thread's burst; returns whether there is a burst that does so.
pub fn resume_later<T: PutOff + 'static>(step: &Arc<T>) -> bool {
    STATE.with_borrow_mut(|s| {
        let here = s.depth > 0 && s.serving;
        if here {
            put(&mut s.steps, step);
        }
        here
    })
}

/// Puts a write off to the end of this thread's burst; returns whether there is one.
pub fn write_later<T: PutOff + 'static>(writer: &Arc<T>) -> bool {
    STATE.with_borrow_mut(|s| {
        let here = s.depth > 0;
        if here {
            put(&mut s.writes, writer);
        }
        here
    })
}

/// Does this thread's writes that were put off, before it begins something long.
pub fn write_now() {
    let writes = STATE.with_borrow_mut(|s| std::mem::take(&mut s.writes));
    writes.into_iter().for_each(|work| work.run());
}

fn put<T: PutOff + 'static>(works: &mut Works, work: &Arc<T>) {
    if !works.iter().any(|w| std::ptr::addr_eq(Arc::as_ptr(w), Arc::as_ptr(work))) {
        works.push(work.clone());
    }
}

/// Ends the burst when dropped, after a panic too: what was put off is waited for.
struct Begun;

impl Begun {
    fn new(kind: Burst) -> Begun {
        STATE.with_borrow_mut(|s| {
            if s.depth == 0 {
                s.serving = kind == Burst::Serving;
            }
            s.depth += 1;
        });
        Begun
    }
}

impl Drop for Begun {
    fn drop(&mut self) {
        loop {
            // Resumed steps write, so writes come last.
            let works = STATE.with_borrow_mut(|s| match s.depth {
                1 if !s.steps.is_empty() => std::mem::take(&mut s.steps),
                1 => std::mem::take(&mut s.writes),
                _ => Works::new(),
            });
            if works.is_empty() {
                break;
            }
            works.into_iter().for_each(|work| work.run());
        }
        STATE.with_borrow_mut(|s| s.depth -= 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use parking_lot::Mutex;

    struct Note(&'static str, Arc<Mutex<Vec<&'static str>>>);

    impl PutOff for Note {
        fn run(self: Arc<Self>) {
            self.1.lock().push(self.0);
        }
    }

    #[test]
    fn what_is_put_off_is_done_once_at_the_end_and_writes_last() {
        let log = Arc::new(Mutex::new(Vec::new()));
        let [write, step] = ["write", "step"].map(|n| Arc::new(Note(n, log.clone())));
        assert!(!write_later(&write) && !resume_later(&step), "there is no burst");
        burst(Burst::Serving, || {
            assert!(write_later(&write) && write_later(&write));
            burst(Burst::Computing, || assert!(resume_later(&step), "the outer burst decides"));
            log.lock().push("body");
        });
        assert_eq!(*log.lock(), ["body", "step", "write"]);
        burst(Burst::Computing, || {
            assert!(!resume_later(&step) && write_later(&write));
            write_now();
            log.lock().push("long");
        });
        assert_eq!(*log.lock(), ["body", "step", "write", "write", "long"]);
    }

    #[test]
    fn a_panic_loses_nothing_that_was_put_off() {
        let log = Arc::new(Mutex::new(Vec::new()));
        let write = Arc::new(Note("write", log.clone()));
        let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            burst(Burst::Serving, || {
                write_later(&write);
                panic!("in the burst");
            })
        }));
        assert!(result.is_err() && *log.lock() == ["write"] && !write_later(&write));
    }
}
