//! `ShardDataset`: every n-th element.

use super::dataset::{AnyIterator, Dataset, DatasetHandle, DatasetIterator, Next, emit, input_dataset};
use super::iterator_context::IteratorContext;
use super::task::pause;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "ShardDataset(input_dataset: variant, num_shards: int64, index: int64) -> (handle: variant)",
    attrs: "require_non_empty: bool = false; output_types: list(type) >= 1; output_shapes: list(shape) >= 1; metadata: string = \"\"",
    doc: "Of every num_shards elements the one at index.",
    shape: shape::scalar,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(compute).inline()],
    ..WORDS
};

struct Shard {
    input: DatasetHandle,
    num_shards: i64,
    index: i64,
    require_non_empty: bool,
}

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let input = input_dataset(ctx, 0)?;
    let (num_shards, index) = (ctx.scalar::<i64>(1, "num_shards")?, ctx.scalar::<i64>(2, "index")?);
    if num_shards <= 0 {
        return Err(invalid_argument(format!("Number of shards must be greater than zero (currently num_shards = {num_shards}).")));
    }
    if index < 0 || index >= num_shards {
        return Err(invalid_argument(format!("Index must be between 0 and {} (currently index = {index}).", num_shards - 1)));
    }
    let require_non_empty = ctx.node.attrs.bool("require_non_empty")?;
    emit(ctx, &[&input], Shard { input: input.clone(), num_shards, index, require_non_empty })
}

impl Dataset for Shard {
    fn iterator(&self, ctx: &IteratorContext) -> Result<AnyIterator> {
        Ok(Box::new(ShardIterator {
            input: self.input.iterator(ctx)?,
            num_shards: self.num_shards,
            to_skip: self.index,
            require_non_empty: self.require_non_empty,
        }))
    }

    fn cardinality(&self) -> i64 {
        match self.input.cardinality() {
            n if n < 0 => n,
            n => n / self.num_shards + i64::from(self.index < n % self.num_shards),
        }
    }
}

struct ShardIterator {
    input: AnyIterator,
    num_shards: i64,
    /// Elements of other shards before the next of ours.
    to_skip: i64,
    /// Whether an end now is an error.
    require_non_empty: bool,
}

impl DatasetIterator for ShardIterator {
    fn next<'a>(&'a mut self, ctx: &'a IteratorContext) -> Next<'a> {
        Box::pin(async move {
            loop {
                let Some(element) = self.input.next(ctx).await? else {
                    if std::mem::take(&mut self.require_non_empty) {
                        return Err(invalid_argument(format!(
                            "Could not apply FILE based sharding: the dataset has fewer elements than the {} shards.",
                            self.num_shards
                        )));
                    }
                    return Ok(None);
                };
                if self.to_skip == 0 {
                    self.to_skip = self.num_shards - 1;
                    self.require_non_empty = false;
                    return Ok(Some(element));
                }
                self.to_skip -= 1;
                pause().await;
            }
        })
    }
}
