//! `SamplingDataset`: a random share of the elements.

use super::dataset::{AnyIterator, Dataset, DatasetHandle, DatasetIterator, Next, UNKNOWN, emit, input_dataset};
use super::iterator_context::IteratorContext;
use super::seeds::{SeedGenerator, Words, resolved};
use super::task::pause;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "SamplingDataset(input_dataset: variant, rate: float, seed: int64, seed2: int64) -> (handle: variant)",
    attrs: "output_types: list(type) >= 1; output_shapes: list(shape) >= 1",
    doc: "Each element with a chance of rate; the choice for given seeds is TensorFlow's.",
    shape: shape::scalar,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(compute).inline()],
    ..WORDS
};

struct Sampling {
    input: DatasetHandle,
    rate: f32,
    seeds: SeedGenerator,
}

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let input = input_dataset(ctx, 0)?;
    let rate = ctx.scalar::<f32>(1, "rate")?;
    let seeds = SeedGenerator::new(resolved(ctx.scalar(2, "seed")?, ctx.scalar(3, "seed2")?), false);
    emit(ctx, &[&input], Sampling { input: input.clone(), rate, seeds })
}

impl Dataset for Sampling {
    fn iterator(&self, ctx: &IteratorContext) -> Result<AnyIterator> {
        Ok(Box::new(SamplingIterator { input: self.input.iterator(ctx)?, rate: self.rate, words: Words::new(ctx.seeds(&self.seeds)) }))
    }

    fn cardinality(&self) -> i64 {
        if self.input.cardinality() == 0 { 0 } else { UNKNOWN }
    }
}

struct SamplingIterator {
    input: AnyIterator,
    rate: f32,
    words: Words,
}

impl DatasetIterator for SamplingIterator {
    fn next<'a>(&'a mut self, ctx: &'a IteratorContext) -> Next<'a> {
        Box::pin(async move {
            loop {
                let Some(element) = self.input.next(ctx).await? else { return Ok(None) };
                // A number in [0, 1), of the word's last bits.
                let chance = f32::from_bits(127 << 23 | self.words.next() & 0x7f_ffff) - 1.0;
                if chance < self.rate {
                    return Ok(Some(element));
                }
                pause().await;
            }
        })
    }
}
