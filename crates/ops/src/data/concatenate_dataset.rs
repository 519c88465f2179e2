//! `ConcatenateDataset`: one dataset behind another.

use super::dataset::{AnyIterator, Dataset, DatasetHandle, DatasetIterator, INFINITE, Next, UNKNOWN, emit, input_dataset};
use super::iterator_context::IteratorContext;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "ConcatenateDataset(input_dataset: variant, another_dataset: variant) -> (handle: variant)",
    attrs: "output_types: list(type) >= 1; output_shapes: list(shape) >= 1; metadata: string = \"\"",
    doc: "The elements of the first dataset, then those of the second.",
    shape: shape::scalar,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(compute).inline()],
    ..WORDS
};

struct Concatenate(DatasetHandle, DatasetHandle);

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let (first, second) = (input_dataset(ctx, 0)?, input_dataset(ctx, 1)?);
    if first.output_types() != second.output_types() {
        return Err(invalid_argument(format!(
            "input dataset and dataset to concatenate have different output_types {:?} and {:?}",
            first.output_types(),
            second.output_types()
        )));
    }
    emit(ctx, &[&first, &second], Concatenate(first.clone(), second.clone()))
}

impl Dataset for Concatenate {
    fn iterator(&self, ctx: &IteratorContext) -> Result<AnyIterator> {
        Ok(Box::new(ConcatenateIterator { current: self.0.iterator(ctx)?, second: Some(self.1.clone()) }))
    }

    fn cardinality(&self) -> i64 {
        match (self.0.cardinality(), self.1.cardinality()) {
            (INFINITE, _) | (_, INFINITE) => INFINITE,
            (UNKNOWN, _) | (_, UNKNOWN) => UNKNOWN,
            (a, b) => a.saturating_add(b),
        }
    }
}

struct ConcatenateIterator {
    current: AnyIterator,
    second: Option<DatasetHandle>,
}

impl DatasetIterator for ConcatenateIterator {
    fn next<'a>(&'a mut self, ctx: &'a IteratorContext) -> Next<'a> {
        Box::pin(async move {
            loop {
                let element = self.current.next(ctx).await?;
                if element.is_some() {
                    return Ok(element);
                }
                let Some(second) = self.second.take() else { return Ok(None) };
                self.current = second.iterator(ctx)?;
            }
        })
    }
}
