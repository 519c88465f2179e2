//! `Turns`: a value that one task at a time works with, in the order in which they asked (TF: the mutex of an iterator).
//!
//! Who waits for its turn holds no thread.

use parking_lot::Mutex;
use std::collections::VecDeque;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;
use std::task::{Poll, Waker};

/// A value and those who wait for it.
pub(crate) struct Turns<T> {
    queue: Mutex<VecDeque<Arc<Mutex<Turn>>>>,
    /// Not there while somebody has it.
    value: Mutex<Option<T>>,
}

/// One who waits, or whose turn it is.
#[derive(Default)]
struct Turn {
    has_come: bool,
    waker: Option<Waker>,
}

/// A place in the queue; dropping it lets the next one begin.
pub(crate) struct MyTurn<T> {
    turns: Arc<Turns<T>>,
    me: Arc<Mutex<Turn>>,
}

/// The value, for as long as the turn lasts.
pub(crate) struct Lent<T> {
    value: Option<T>,
    turn: MyTurn<T>,
}

impl<T> Turns<T> {
    /// Nobody's turn yet.
    pub(crate) fn new(value: T) -> Arc<Turns<T>> {
        Arc::new(Turns { queue: Mutex::default(), value: Mutex::new(Some(value)) })
    }

    /// The last place in the queue.
    pub(crate) fn queue_up(self: &Arc<Self>) -> MyTurn<T> {
        let me = Arc::new(Mutex::new(Turn::default()));
        let mut queue = self.queue.lock();
        me.lock().has_come = queue.is_empty();
        queue.push_back(me.clone());
        drop(queue);
        MyTurn { turns: self.clone(), me }
    }
}

impl<T> MyTurn<T> {
    /// Waits for the turn. `None` if the value was lost in an earlier one.
    pub(crate) async fn come(self) -> Option<Lent<T>> {
        std::future::poll_fn(|cx| {
            let mut me = self.me.lock();
            if me.has_come {
                return Poll::Ready(());
            }
            me.waker = Some(cx.waker().clone());
            Poll::Pending
        })
        .await;
        let value = self.turns.value.lock().take()?;
        Some(Lent { value: Some(value), turn: self })
    }
}

impl<T> Deref for Lent<T> {
    type Target = Option<T>;

    fn deref(&self) -> &Option<T> {
        &self.value
    }
}

impl<T> DerefMut for Lent<T> {
    fn deref_mut(&mut self) -> &mut Option<T> {
        &mut self.value
    }
}

impl<T> Drop for Lent<T> {
    fn drop(&mut self) {
        // Before the turn itself ends, which is when the next one looks for it.
        *self.turn.turns.value.lock() = self.value.take();
    }
}

impl<T> Drop for MyTurn<T> {
    fn drop(&mut self) {
        let mut queue = self.turns.queue.lock();
        queue.retain(|turn| !Arc::ptr_eq(turn, &self.me));
        let next = queue.front().cloned();
        drop(queue);
        let Some(next) = next else { return };
        let waker = {
            let mut next = next.lock();
            next.has_come = true;
            next.waker.take()
        };
        if let Some(waker) = waker {
            waker.wake();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::future::Future;
    use std::pin::pin;
    use std::task::Context;

    #[test]
    fn turns_come_in_the_order_of_the_queue_and_one_that_leaves_is_passed_over() {
        let turns = Turns::new(0);
        let (first, second, third) = (turns.queue_up(), turns.queue_up(), turns.queue_up());
        let mut cx = Context::from_waker(Waker::noop());
        let mut third = pin!(third.come());
        assert!(third.as_mut().poll(&mut cx).is_pending());
        let mut first = Box::pin(first.come());
        let Poll::Ready(Some(mut lent)) = first.as_mut().poll(&mut cx) else { panic!("it is the first one's turn") };
        *lent = lent.map(|n| n + 1);
        drop(second);
        assert!(third.as_mut().poll(&mut cx).is_pending());
        drop(lent);
        let Poll::Ready(Some(lent)) = third.as_mut().poll(&mut cx) else { panic!("it is the last one's turn") };
        assert_eq!(*lent, Some(1));
    }
}
