//! The dataset of `Prefetch`: a task of its own makes elements ahead (TF: `PrefetchDatasetOp`).

use super::dataset::{AnyIterator, Dataset, DatasetHandle, DatasetIterator, Element, Next};
use super::iterator_context::IteratorContext;
use super::task::Task;
use ferroflow_tensor::Result;
use ferroflow_tensor::error::invalid_argument;
use parking_lot::Mutex;
use std::collections::VecDeque;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

/// How many elements are made ahead where the graph leaves the number to the runtime.
const AUTOTUNED_SIZE: usize = 2;

/// The dataset.
pub(super) struct PrefetchDataset {
    input: DatasetHandle,
    size: usize,
}

impl PrefetchDataset {
    /// Makes `size` elements ahead; -1 leaves the number to us.
    ///
    /// Errors: `InvalidArgument` for other negative numbers.
    pub(super) fn new(input: DatasetHandle, size: i64) -> Result<PrefetchDataset> {
        let size = match size {
            -1 => AUTOTUNED_SIZE,
            size => usize::try_from(size)
                .map_err(|_| invalid_argument("buffer_size must be >= 0 or set buffer_size to be -1 for auto-tuning"))?,
        };
        Ok(PrefetchDataset { input, size })
    }
}

impl Dataset for PrefetchDataset {
    fn iterator(&self, ctx: &IteratorContext) -> Result<AnyIterator> {
        let input = self.input.iterator(ctx)?;
        if self.size == 0 {
            return Ok(input);
        }
        let buffer = Arc::new(Buffer { size: self.size, state: Mutex::default() });
        Ok(Box::new(PrefetchIterator { input: Some(input), producer: None, buffer }))
    }

    fn cardinality(&self) -> i64 {
        self.input.cardinality()
    }
}

#[derive(Default)]
struct State {
    elements: VecDeque<Result<Element>>,
    /// Whether the producer has put in its last element.
    is_over: bool,
    consumer: Option<Waker>,
    producer: Option<Waker>,
}

/// Elements that wait for the consumer.
struct Buffer {
    size: usize,
    state: Mutex<State>,
}

fn wake(waker: Option<Waker>) {
    if let Some(waker) = waker {
        waker.wake();
    }
}

impl Buffer {
    /// Waits for room.
    async fn room(&self) {
        let poll = |cx: &mut Context<'_>| {
            let mut state = self.state.lock();
            if state.elements.len() < self.size {
                return Poll::Ready(());
            }
            state.producer = Some(cx.waker().clone());
            Poll::Pending
        };
        std::future::poll_fn(poll).await
    }

    fn put(&self, element: Result<Element>) {
        let waker = {
            let mut state = self.state.lock();
            state.elements.push_back(element);
            state.consumer.take()
        };
        wake(waker);
    }

    fn end(&self) {
        let waker = {
            let mut state = self.state.lock();
            state.is_over = true;
            state.consumer.take()
        };
        wake(waker);
    }

    /// Waits for an element, or for the end.
    async fn take(&self) -> Result<Option<Element>> {
        let poll = |cx: &mut Context<'_>| {
            let mut state = self.state.lock();
            if let Some(element) = state.elements.pop_front() {
                let producer = state.producer.take();
                drop(state);
                wake(producer);
                return Poll::Ready(element.map(Some));
            }
            if state.is_over {
                return Poll::Ready(Ok(None));
            }
            state.consumer = Some(cx.waker().clone());
            Poll::Pending
        };
        std::future::poll_fn(poll).await
    }
}

/// Tells the consumer that nothing more comes, whatever ends the producer.
struct EndOf(Arc<Buffer>);

impl Drop for EndOf {
    fn drop(&mut self) {
        self.0.end();
    }
}

struct PrefetchIterator {
    /// Until the producer has it.
    input: Option<AnyIterator>,
    /// Begins with the first request, and ends with the iterator.
    producer: Option<Task<()>>,
    buffer: Arc<Buffer>,
}

impl PrefetchIterator {
    fn start(&mut self, mut input: AnyIterator, ctx: &IteratorContext) {
        let (end, context) = (EndOf(self.buffer.clone()), ctx.clone());
        self.producer = Some(Task::spawn(ctx.pool(), async move {
            loop {
                end.0.room().await;
                match input.next(&context).await {
                    Ok(Some(element)) => end.0.put(Ok(element)),
                    Ok(None) => return Ok(()),
                    Err(e) => end.0.put(Err(e)),
                }
            }
        }));
    }
}

impl DatasetIterator for PrefetchIterator {
    fn next<'a>(&'a mut self, ctx: &'a IteratorContext) -> Next<'a> {
        if let Some(input) = self.input.take() {
            self.start(input, ctx);
        }
        Box::pin(self.buffer.take())
    }
}
