//! `RepeatDataset`: a dataset over and over.

use super::dataset::{AnyIterator, Dataset, DatasetHandle, DatasetIterator, INFINITE, Next, UNKNOWN, emit, input_dataset};
use super::iterator_context::IteratorContext;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "RepeatDataset(input_dataset: variant, count: int64) -> (handle: variant)",
    attrs: "output_types: list(type) >= 1; output_shapes: list(shape) >= 1; metadata: string = \"\"",
    doc: "The elements, count times over; without end if count is negative.",
    shape: shape::scalar,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(compute).inline()],
    ..WORDS
};

/// The dataset.
pub(super) struct Repeat {
    input: DatasetHandle,
    count: i64,
}

impl Repeat {
    /// The elements of `input`, `count` times over.
    pub(super) fn new(input: DatasetHandle, count: i64) -> Repeat {
        Repeat { input, count }
    }
}

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let input = input_dataset(ctx, 0)?;
    let count = ctx.scalar::<i64>(1, "count")?;
    emit(ctx, &[&input], Repeat::new(input.clone(), count))
}

impl Dataset for Repeat {
    fn iterator(&self, _: &IteratorContext) -> Result<AnyIterator> {
        Ok(Box::new(RepeatIterator { input: self.input.clone(), left: self.count, epoch: None, is_fresh: false }))
    }

    fn cardinality(&self) -> i64 {
        let n = self.input.cardinality();
        match (self.count, n) {
            (0, _) | (_, 0) => 0,
            (count, _) if count < 0 => INFINITE,
            (_, INFINITE | UNKNOWN) => n,
            (count, n) => n.saturating_mul(count),
        }
    }
}

struct RepeatIterator {
    input: DatasetHandle,
    /// How many more epochs begin; negative: without end.
    left: i64,
    epoch: Option<AnyIterator>,
    /// Whether the epoch has had no element yet.
    is_fresh: bool,
}

impl DatasetIterator for RepeatIterator {
    fn next<'a>(&'a mut self, ctx: &'a IteratorContext) -> Next<'a> {
        Box::pin(async move {
            loop {
                let epoch = match &mut self.epoch {
                    Some(epoch) => epoch,
                    None if self.left == 0 => return Ok(None),
                    none => {
                        self.left -= i64::from(self.left > 0);
                        self.is_fresh = true;
                        none.insert(self.input.iterator(ctx)?)
                    }
                };
                let element = epoch.next(ctx).await?;
                if element.is_some() {
                    self.is_fresh = false;
                    return Ok(element);
                }
                self.epoch = None;
                // An empty dataset without end would never end.
                if self.is_fresh && self.left < 0 {
                    self.left = 0;
                }
            }
        })
    }
}
