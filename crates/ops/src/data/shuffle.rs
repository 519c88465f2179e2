//! The dataset of `Shuffle` and `ShuffleAndRepeat`: elements leave a buffer in random order (TF: `ShuffleDatasetOpBase`).
//!
//! The order for given seeds is TensorFlow's. Elements of one epoch leave before those of the next.

use super::dataset::{AnyIterator, Dataset, DatasetHandle, DatasetIterator, Element, INFINITE, Next};
use super::iterator_context::IteratorContext;
use super::seeds::{SeedGenerator, Words};
use super::task::pause;
use ferroflow_graph::kernel::OpKernelContext;
use ferroflow_tensor::Result;
use ferroflow_tensor::error::invalid_argument;
use std::collections::VecDeque;

/// The dataset.
pub(super) struct ShuffleDataset {
    input: DatasetHandle,
    buffer_size: usize,
    seeds: SeedGenerator,
    /// How many epochs; negative: without end.
    count: i64,
}

impl ShuffleDataset {
    /// What a node asks for in its inputs `buffer_size`, `seed`, `seed2`, which are the first behind the dataset.
    ///
    /// Errors: `InvalidArgument` for a buffer without room.
    pub(super) fn new(ctx: &OpKernelContext, input: DatasetHandle, count: i64) -> Result<ShuffleDataset> {
        let size = ctx.scalar::<i64>(1, "buffer_size")?;
        let buffer_size = match size {
            // As large as it needs to be.
            -2 => usize::MAX,
            size => usize::try_from(size)
                .ok()
                .filter(|&n| n > 0)
                .ok_or_else(|| invalid_argument(format!("buffer_size must be greater than zero or UNKNOWN_CARDINALITY, got {size}")))?,
        };
        let seeds = super::seeds::resolved(ctx.scalar(2, "seed")?, ctx.scalar(3, "seed2")?);
        let seeds = SeedGenerator::new(seeds, ctx.node.attrs.bool("reshuffle_each_iteration")?);
        Ok(ShuffleDataset { input, buffer_size, seeds, count })
    }
}

impl Dataset for ShuffleDataset {
    fn iterator(&self, _: &IteratorContext) -> Result<AnyIterator> {
        Ok(Box::new(ShuffleIterator {
            input: self.input.clone(),
            buffer_size: self.buffer_size,
            words: Words::new(self.seeds.next()),
            epochs_left: self.count,
            epoch: None,
            has_elements: false,
            buffer: VecDeque::new(),
        }))
    }

    fn cardinality(&self) -> i64 {
        match (self.input.cardinality(), self.count) {
            (_, 0) | (0, _) => 0,
            (_, count) if count < 0 => INFINITE,
            (n, _) if n < 0 => n,
            (n, count) => n.saturating_mul(count),
        }
    }
}

struct ShuffleIterator {
    input: DatasetHandle,
    buffer_size: usize,
    words: Words,
    epochs_left: i64,
    epoch: Option<AnyIterator>,
    /// Whether the current epoch has had an element.
    has_elements: bool,
    /// Elements with the number of epochs that were left when theirs began; those of earlier epochs are in front.
    buffer: VecDeque<(i64, Element)>,
}

impl ShuffleIterator {
    /// Reads until the buffer is full or there is nothing more.
    async fn fill(&mut self, ctx: &IteratorContext) -> Result<()> {
        while self.buffer.len() < self.buffer_size {
            let epoch = match &mut self.epoch {
                Some(epoch) => epoch,
                None if self.epochs_left == 0 => return Ok(()),
                none => {
                    self.epochs_left -= 1;
                    self.has_elements = false;
                    none.insert(self.input.iterator(ctx)?)
                }
            };
            match epoch.next(ctx).await? {
                Some(element) => {
                    self.has_elements = true;
                    self.buffer.push_back((self.epochs_left, element));
                }
                None => {
                    self.epoch = None;
                    // An empty dataset without end would never end.
                    if !self.has_elements && self.epochs_left < 0 {
                        self.epochs_left = 0;
                    }
                }
            }
            pause().await;
        }
        Ok(())
    }
}

impl DatasetIterator for ShuffleIterator {
    fn next<'a>(&'a mut self, ctx: &'a IteratorContext) -> Next<'a> {
        Box::pin(async move {
            self.fill(ctx).await?;
            let Some((oldest, _)) = self.buffer.front() else { return Ok(None) };
            // The elements of the oldest epoch lie in front, without gaps.
            let candidates = self.buffer.partition_point(|(epoch, _)| epoch == oldest);
            let chosen = self.words.next() as usize % candidates.max(1);
            self.buffer.swap(0, chosen);
            Ok(self.buffer.pop_front().map(|(_, element)| element))
        })
    }
}
