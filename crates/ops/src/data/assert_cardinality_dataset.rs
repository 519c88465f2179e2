//! `AssertCardinalityDataset`: a dataset that says how many elements it has.

use super::dataset::{AnyIterator, Dataset, DatasetHandle, DatasetIterator, Next, emit, input_dataset};
use super::iterator_context::IteratorContext;
use crate::prelude::*;
use ferroflow_tensor::error::failed_precondition;

pub const OP: OpSpec = OpSpec {
    signature: "AssertCardinalityDataset(input_dataset: variant, cardinality: int64) -> (handle: variant)",
    attrs: "output_types: list(type) >= 1; output_shapes: list(shape) >= 1",
    doc: "The elements; FailedPrecondition if there are more or fewer than the given number.",
    shape: shape::scalar,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(compute).inline()],
    ..WORDS
};

struct AssertCardinality {
    input: DatasetHandle,
    cardinality: i64,
}

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let input = input_dataset(ctx, 0)?;
    let cardinality = ctx.scalar::<i64>(1, "cardinality")?;
    emit(ctx, &[&input], AssertCardinality { input: input.clone(), cardinality })
}

impl Dataset for AssertCardinality {
    fn iterator(&self, ctx: &IteratorContext) -> Result<AnyIterator> {
        Ok(Box::new(AssertCardinalityIterator { input: self.input.iterator(ctx)?, expected: self.cardinality, count: 0 }))
    }

    fn cardinality(&self) -> i64 {
        self.cardinality
    }
}

struct AssertCardinalityIterator {
    input: AnyIterator,
    expected: i64,
    count: i64,
}

impl DatasetIterator for AssertCardinalityIterator {
    fn next<'a>(&'a mut self, ctx: &'a IteratorContext) -> Next<'a> {
        Box::pin(async move {
            let element = self.input.next(ctx).await?;
            let (expected, count) = (self.expected, self.count);
            match &element {
                Some(_) => {
                    self.count += 1;
                    if expected >= 0 && self.count > expected {
                        return Err(failed_precondition(format!(
                            "Input dataset was expected to contain {expected} elements but contained at least {} elements.",
                            self.count
                        )));
                    }
                }
                None if expected == super::dataset::INFINITE => {
                    let finite = format!(
                        "Input dataset was expected to contain an infinite number of elements but contained only {count} elements."
                    );
                    return Err(failed_precondition(finite));
                }
                None if expected >= 0 && count != expected => {
                    let only = if count < expected { "only " } else { "" };
                    return Err(failed_precondition(format!(
                        "Input dataset was expected to contain {expected} elements but contained {only}{count} elements."
                    )));
                }
                None => {}
            }
            Ok(element)
        })
    }
}
