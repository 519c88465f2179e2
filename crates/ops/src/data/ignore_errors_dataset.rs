//! `IgnoreErrorsDataset`: a dataset without the elements that fail.

use super::dataset::{AnyIterator, Dataset, DatasetHandle, DatasetIterator, Next, UNKNOWN, emit, input_dataset};
use super::iterator_context::IteratorContext;
use super::task::pause;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "IgnoreErrorsDataset(input_dataset: variant) -> (handle: variant)",
    attrs: "output_types: list(type) >= 1; output_shapes: list(shape) >= 1; log_warning: bool = false",
    doc: "The elements that can be made; those that fail are left out.",
    shape: shape::scalar,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(compute).inline()],
    ..WORDS
};

struct IgnoreErrors(DatasetHandle);

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let input = input_dataset(ctx, 0)?;
    emit(ctx, &[&input], IgnoreErrors(input.clone()))
}

impl Dataset for IgnoreErrors {
    fn iterator(&self, ctx: &IteratorContext) -> Result<AnyIterator> {
        Ok(Box::new(IgnoreErrorsIterator(self.0.iterator(ctx)?)))
    }

    fn cardinality(&self) -> i64 {
        if self.0.cardinality() == 0 { 0 } else { UNKNOWN }
    }
}

struct IgnoreErrorsIterator(AnyIterator);

impl DatasetIterator for IgnoreErrorsIterator {
    fn next<'a>(&'a mut self, ctx: &'a IteratorContext) -> Next<'a> {
        Box::pin(async move {
            loop {
                if let Ok(element) = self.0.next(ctx).await {
                    return Ok(element);
                }
                // Also where an input fails for ever, others must get a turn, and a cancelled step its end.
                pause().await;
            }
        })
    }
}
