//! `SkipDataset`: all but the first elements.

use super::dataset::{AnyIterator, Dataset, DatasetHandle, DatasetIterator, Next, emit, input_dataset};
use super::iterator_context::IteratorContext;
use super::task::pause;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "SkipDataset(input_dataset: variant, count: int64) -> (handle: variant)",
    attrs: "output_types: list(type) >= 1; output_shapes: list(shape) >= 1; metadata: string = \"\"",
    doc: "All but the first count elements; none if count is negative.",
    shape: shape::scalar,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(compute).inline()],
    ..WORDS
};

struct Skip {
    input: DatasetHandle,
    count: i64,
}

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let input = input_dataset(ctx, 0)?;
    let count = ctx.scalar::<i64>(1, "count")?;
    emit(ctx, &[&input], Skip { input: input.clone(), count })
}

impl Dataset for Skip {
    fn iterator(&self, ctx: &IteratorContext) -> Result<AnyIterator> {
        let input = if self.count < 0 { None } else { Some(self.input.iterator(ctx)?) };
        Ok(Box::new(SkipIterator { input, left: self.count }))
    }

    fn cardinality(&self) -> i64 {
        match self.input.cardinality() {
            _ if self.count < 0 => 0,
            n if n < 0 => n,
            n => (n - self.count).max(0),
        }
    }
}

struct SkipIterator {
    input: Option<AnyIterator>,
    left: i64,
}

impl DatasetIterator for SkipIterator {
    fn next<'a>(&'a mut self, ctx: &'a IteratorContext) -> Next<'a> {
        Box::pin(async move {
            let Some(input) = &mut self.input else { return Ok(None) };
            while self.left > 0 {
                if input.next(ctx).await?.is_none() {
                    self.input = None;
                    return Ok(None);
                }
                self.left -= 1;
                pause().await;
            }
            input.next(ctx).await
        })
    }
}
