//! `RandomDataset`: random numbers.

use super::dataset::{AnyIterator, Dataset, DatasetIterator, INFINITE, Next, emit};
use super::iterator_context::IteratorContext;
use super::seeds::{SeedGenerator, Words, resolved};
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "RandomDataset(seed: int64, seed2: int64) -> (handle: variant)",
    attrs: "output_types: list(type) >= 1; output_shapes: list(shape) >= 1; metadata: string = \"\"",
    flags: "stateful",
    doc: "Random 32-bit numbers as int64, without end.",
    shape: shape::scalar,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(compute).inline()],
    ..WORDS
};

struct Random(SeedGenerator);

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let seeds = resolved(ctx.scalar(0, "seed")?, ctx.scalar(1, "seed2")?);
    emit(ctx, &[], Random(SeedGenerator::new(seeds, false)))
}

impl Dataset for Random {
    fn iterator(&self, ctx: &IteratorContext) -> Result<AnyIterator> {
        Ok(Box::new(RandomIterator(Words::new(ctx.seeds(&self.0)))))
    }

    fn cardinality(&self) -> i64 {
        INFINITE
    }
}

struct RandomIterator(Words);

impl DatasetIterator for RandomIterator {
    fn next<'a>(&'a mut self, _: &'a IteratorContext) -> Next<'a> {
        let number = i64::from(self.0.next());
        Box::pin(std::future::ready(Ok(Some(vec![Tensor::scalar(number)]))))
    }
}
