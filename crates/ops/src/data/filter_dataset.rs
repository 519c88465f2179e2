//! `FilterDataset`: the elements for which a function says so.

use super::captured_function::{CapturedFunction, ReadyFunction};
use super::dataset::{AnyIterator, Dataset, DatasetHandle, DatasetIterator, Next, UNKNOWN, emit, input_dataset};
use super::iterator_context::IteratorContext;
use super::task::pause;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "FilterDataset(input_dataset: variant, other_arguments: Targuments) -> (handle: variant)",
    attrs: "predicate: func; Targuments: list(type) >= 0; output_types: list(type) >= 1; output_shapes: list(shape) >= 1; metadata: string = \"\"",
    doc: "The elements for which predicate(element, captured inputs) is true.",
    shape: shape::scalar,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(compute).inline()],
    ..WORDS
};

struct Filter {
    input: DatasetHandle,
    predicate: CapturedFunction,
}

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let input = input_dataset(ctx, 0)?;
    let predicate = CapturedFunction::new(ctx, "predicate", 1..ctx.num_inputs())?;
    emit(ctx, &[&input], Filter { input: input.clone(), predicate })
}

impl Dataset for Filter {
    fn iterator(&self, ctx: &IteratorContext) -> Result<AnyIterator> {
        Ok(Box::new(FilterIterator { input: self.input.iterator(ctx)?, predicate: self.predicate.instantiate(ctx)? }))
    }

    fn cardinality(&self) -> i64 {
        if self.input.cardinality() == 0 { 0 } else { UNKNOWN }
    }
}

struct FilterIterator {
    input: AnyIterator,
    predicate: ReadyFunction,
}

impl DatasetIterator for FilterIterator {
    fn next<'a>(&'a mut self, ctx: &'a IteratorContext) -> Next<'a> {
        Box::pin(async move {
            loop {
                let Some(element) = self.input.next(ctx).await? else { return Ok(None) };
                if self.predicate.call_for_truth(ctx, element.clone()).await? {
                    return Ok(Some(element));
                }
                pause().await;
            }
        })
    }
}
