//! The dataset of `Shuffle`: elements leave a buffer in random order (TF: `ShuffleDatasetOpBase`).
//!
//! The order for given seeds is TensorFlow's.

use super::dataset::{AnyIterator, Dataset, DatasetHandle, DatasetIterator, Element, Next};
use super::iterator_context::IteratorContext;
use super::seeds::{SeedGenerator, Words, resolved};
use super::task::pause;
use ferroflow_graph::kernel::OpKernelContext;
use ferroflow_tensor::Result;
use ferroflow_tensor::error::invalid_argument;
use std::collections::VecDeque;

/// What stands for a buffer as large as the dataset (TF: `UNKNOWN_CARDINALITY`).
const WHOLE: i64 = -2;

/// The dataset.
pub(super) struct ShuffleDataset {
    input: DatasetHandle,
    buffer_size: usize,
    seeds: SeedGenerator,
}

impl ShuffleDataset {
    /// What a node asks for in its inputs `buffer_size`, `seed`, `seed2`, which are the first behind the dataset.
    ///
    /// Errors: `InvalidArgument` for a buffer without room.
    pub(super) fn new(ctx: &OpKernelContext, input: DatasetHandle) -> Result<ShuffleDataset> {
        let buffer_size = match ctx.scalar::<i64>(1, "buffer_size")? {
            WHOLE => usize::MAX,
            size => usize::try_from(size)
                .ok()
                .filter(|&n| n > 0)
                .ok_or_else(|| invalid_argument(format!("buffer_size must be greater than zero or UNKNOWN_CARDINALITY, got {size}")))?,
        };
        let seeds = resolved(ctx.scalar(2, "seed")?, ctx.scalar(3, "seed2")?);
        let seeds = SeedGenerator::new(seeds, ctx.node.attrs.bool("reshuffle_each_iteration")?);
        Ok(ShuffleDataset { input, buffer_size, seeds })
    }
}

impl Dataset for ShuffleDataset {
    fn iterator(&self, ctx: &IteratorContext) -> Result<AnyIterator> {
        Ok(Box::new(ShuffleIterator {
            input: Some(self.input.iterator(ctx)?),
            buffer_size: self.buffer_size,
            words: Words::new(ctx.seeds(&self.seeds)),
            buffer: VecDeque::new(),
        }))
    }

    fn cardinality(&self) -> i64 {
        self.input.cardinality()
    }
}

struct ShuffleIterator {
    /// Nothing once it has ended.
    input: Option<AnyIterator>,
    buffer_size: usize,
    words: Words,
    buffer: VecDeque<Element>,
}

impl DatasetIterator for ShuffleIterator {
    fn next<'a>(&'a mut self, ctx: &'a IteratorContext) -> Next<'a> {
        Box::pin(async move {
            while self.buffer.len() < self.buffer_size {
                let Some(input) = &mut self.input else { break };
                match input.next(ctx).await? {
                    Some(element) => self.buffer.push_back(element),
                    None => self.input = None,
                }
                pause().await;
            }
            if self.buffer.is_empty() {
                return Ok(None);
            }
            // What leaves changes places with the oldest element; the order depends on that.
            let chosen = self.words.next() as usize % self.buffer.len();
            self.buffer.swap(0, chosen);
            Ok(self.buffer.pop_front())
        })
    }
}
