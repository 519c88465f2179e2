//! `ZipDataset`: several datasets side by side.

use super::dataset::{AnyIterator, Dataset, DatasetHandle, DatasetIterator, INFINITE, Next, UNKNOWN, emit, input_dataset};
use super::iterator_context::IteratorContext;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "ZipDataset(input_datasets: N * variant) -> (handle: variant)",
    attrs: "output_types: list(type) >= 1; output_shapes: list(shape) >= 1; N: int >= 1; metadata: string = \"\"",
    doc: "Elements with the components of one element of each dataset; ends with the shortest.",
    shape: shape::scalar,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(compute).inline()],
    ..WORDS
};

struct Zip(Vec<DatasetHandle>);

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let inputs = (0..ctx.num_inputs()).map(|i| input_dataset(ctx, i)).collect::<Result<Vec<_>>>()?;
    let handles: Vec<&DatasetHandle> = inputs.iter().collect();
    emit(ctx, &handles, Zip(inputs.clone()))
}

impl Dataset for Zip {
    fn iterator(&self, ctx: &IteratorContext) -> Result<AnyIterator> {
        Ok(Box::new(ZipIterator(self.0.iter().map(|d| d.iterator(ctx)).collect::<Result<_>>()?)))
    }

    fn cardinality(&self) -> i64 {
        let shorter = |a: i64, b: i64| match (a, b) {
            (INFINITE, n) | (n, INFINITE) => n,
            (UNKNOWN, _) | (_, UNKNOWN) => UNKNOWN,
            (a, b) => a.min(b),
        };
        self.0.iter().map(DatasetHandle::cardinality).fold(INFINITE, shorter)
    }
}

struct ZipIterator(Vec<AnyIterator>);

impl DatasetIterator for ZipIterator {
    fn next<'a>(&'a mut self, ctx: &'a IteratorContext) -> Next<'a> {
        Box::pin(async move {
            let mut joined = Vec::new();
            for input in &mut self.0 {
                match input.next(ctx).await? {
                    Some(element) => joined.extend(element),
                    None => {
                        self.0.clear();
                        return Ok(None);
                    }
                }
            }
            Ok(if self.0.is_empty() { None } else { Some(joined) })
        })
    }
}
