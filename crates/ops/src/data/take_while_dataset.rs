//! `TakeWhileDataset`: the elements up to the first for which a function says no.

use super::captured_function::{CapturedFunction, ReadyFunction};
use super::dataset::{AnyIterator, Dataset, DatasetHandle, DatasetIterator, Next, UNKNOWN, emit, input_dataset};
use super::iterator_context::IteratorContext;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "TakeWhileDataset(input_dataset: variant, other_arguments: Targuments) -> (handle: variant)",
    attrs: "predicate: func; Targuments: list(type) >= 0; output_types: list(type) >= 1; output_shapes: list(shape) >= 1; metadata: string = \"\"",
    doc: "The elements before the first for which predicate(element, captured inputs) is false.",
    shape: shape::scalar,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(compute).inline()],
    ..WORDS
};

struct TakeWhile {
    input: DatasetHandle,
    predicate: CapturedFunction,
}

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let input = input_dataset(ctx, 0)?;
    let predicate = CapturedFunction::new(ctx, "predicate", 1..ctx.num_inputs())?;
    emit(ctx, &[&input], TakeWhile { input: input.clone(), predicate })
}

impl Dataset for TakeWhile {
    fn iterator(&self, ctx: &IteratorContext) -> Result<AnyIterator> {
        Ok(Box::new(TakeWhileIterator { input: self.input.iterator(ctx)?, predicate: self.predicate.instantiate(ctx)?, is_over: false }))
    }

    fn cardinality(&self) -> i64 {
        if self.input.cardinality() == 0 { 0 } else { UNKNOWN }
    }
}

struct TakeWhileIterator {
    input: AnyIterator,
    predicate: ReadyFunction,
    is_over: bool,
}

impl DatasetIterator for TakeWhileIterator {
    fn next<'a>(&'a mut self, ctx: &'a IteratorContext) -> Next<'a> {
        Box::pin(async move {
            if self.is_over {
                return Ok(None);
            }
            let Some(element) = self.input.next(ctx).await? else { return Ok(None) };
            self.is_over = !self.predicate.call_for_truth(ctx, element.clone()).await?;
            Ok(if self.is_over { None } else { Some(element) })
        })
    }
}
