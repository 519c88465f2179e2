//! `TakeDataset`: the first elements.

use super::dataset::{AnyIterator, Dataset, DatasetHandle, DatasetIterator, Next, emit, input_dataset};
use super::iterator_context::IteratorContext;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "TakeDataset(input_dataset: variant, count: int64) -> (handle: variant)",
    attrs: "output_types: list(type) >= 1; output_shapes: list(shape) >= 1; metadata: string = \"\"",
    doc: "The first count elements; all of them if count is negative.",
    shape: shape::scalar,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(compute).inline()],
    ..WORDS
};

struct Take {
    input: DatasetHandle,
    count: i64,
}

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let input = input_dataset(ctx, 0)?;
    let count = ctx.scalar::<i64>(1, "count")?;
    emit(ctx, &[&input], Take { input: input.clone(), count })
}

impl Dataset for Take {
    fn iterator(&self, ctx: &IteratorContext) -> Result<AnyIterator> {
        Ok(match self.count {
            0 => Box::new(TakeIterator { input: None, left: 0 }),
            count if count < 0 => self.input.iterator(ctx)?,
            count => Box::new(TakeIterator { input: Some(self.input.iterator(ctx)?), left: count }),
        })
    }

    fn cardinality(&self) -> i64 {
        match (self.count, self.input.cardinality()) {
            (count, n) if count < 0 => n,
            (count, super::dataset::INFINITE) => count,
            (0, _) => 0,
            (count, n) if n >= 0 => n.min(count),
            (_, n) => n,
        }
    }
}

struct TakeIterator {
    /// Dropped as soon as it is not needed any more.
    input: Option<AnyIterator>,
    left: i64,
}

impl DatasetIterator for TakeIterator {
    fn next<'a>(&'a mut self, ctx: &'a IteratorContext) -> Next<'a> {
        Box::pin(async move {
            let Some(input) = &mut self.input else { return Ok(None) };
            let element = if self.left > 0 { input.next(ctx).await? } else { None };
            self.left -= 1;
            if element.is_none() {
                self.input = None;
            }
            Ok(element)
        })
    }
}
