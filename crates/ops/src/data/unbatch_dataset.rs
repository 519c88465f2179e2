//! `UnbatchDataset`: cuts batches into elements.

use super::dataset::{AnyIterator, Dataset, DatasetHandle, DatasetIterator, Next, UNKNOWN, emit, input_dataset};
use super::iterator_context::IteratorContext;
use super::rows::Rows;
use super::task::pause;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "UnbatchDataset(input_dataset: variant) -> (handle: variant)",
    attrs: "output_types: list(type) >= 1; output_shapes: list(shape) >= 1; metadata: string = \"\"",
    doc: "The rows of each element, one after the other.",
    shape: shape::scalar,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(compute).inline()],
    ..WORDS
};

struct Unbatch(DatasetHandle);

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let input = input_dataset(ctx, 0)?;
    emit(ctx, &[&input], Unbatch(input.clone()))
}

impl Dataset for Unbatch {
    fn iterator(&self, ctx: &IteratorContext) -> Result<AnyIterator> {
        Ok(Box::new(UnbatchIterator { input: self.0.iterator(ctx)?, batch: None }))
    }

    /// Known only where every batch has the same number of rows, which its shape then says.
    fn cardinality(&self) -> i64 {
        let n = self.0.cardinality();
        let rows = self.0.output_shapes().first().and_then(|s| s.dim(0));
        match rows {
            _ if n < 0 => n,
            Some(rows) => n.checked_mul(rows).unwrap_or(UNKNOWN),
            None => UNKNOWN,
        }
    }
}

struct UnbatchIterator {
    input: AnyIterator,
    batch: Option<Rows>,
}

impl DatasetIterator for UnbatchIterator {
    fn next<'a>(&'a mut self, ctx: &'a IteratorContext) -> Next<'a> {
        Box::pin(async move {
            loop {
                if let Some(row) = self.batch.as_mut().and_then(Iterator::next) {
                    return row.map(Some);
                }
                self.batch = None;
                let Some(batch) = self.input.next(ctx).await? else { return Ok(None) };
                self.batch = Some(Rows::new(batch)?);
                pause().await;
            }
        })
    }
}
