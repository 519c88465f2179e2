//! `UniqueDataset`: elements without repetitions.

use super::dataset::{AnyIterator, Dataset, DatasetHandle, DatasetIterator, Next, UNKNOWN, emit, input_dataset};
use super::iterator_context::IteratorContext;
use super::task::pause;
use crate::prelude::*;
use bytes::Bytes;
use std::collections::HashSet;

pub const OP: OpSpec = OpSpec {
    signature: "UniqueDataset(input_dataset: variant) -> (handle: variant)",
    attrs: "output_types: list(type) >= 1; output_shapes: list(shape) >= 1; metadata: string = \"\"",
    doc: "Each element once, where it comes first. The elements have one component.",
    shape: shape::scalar,
    gradient: Gradient::Zero,
    kernels: &[Kernel::cpu(compute).inline()],
    ..WORDS
};

struct Unique(DatasetHandle);

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let input = input_dataset(ctx, 0)?;
    match input.output_types() {
        [DType::Int32 | DType::Int64 | DType::String] => emit(ctx, &[&input], Unique(input.clone())),
        [other] => Err(invalid_argument(format!("UniqueDataset only supports int32, int64 and string elements, got {other}"))),
        _ => Err(invalid_argument("UniqueDataset only supports inputs with a single component.")),
    }
}

impl Dataset for Unique {
    fn iterator(&self, ctx: &IteratorContext) -> Result<AnyIterator> {
        Ok(Box::new(UniqueIterator { input: self.0.iterator(ctx)?, seen: HashSet::new() }))
    }

    fn cardinality(&self) -> i64 {
        if self.0.cardinality() == 0 { 0 } else { UNKNOWN }
    }
}

/// What makes two elements the same.
#[derive(PartialEq, Eq, Hash)]
enum Key {
    Plain(Vec<i64>, Vec<u8>),
    Strings(Vec<i64>, Vec<Bytes>),
}

fn key(element: &[Tensor]) -> Result<Key> {
    let [t] = element else {
        return Err(invalid_argument("UniqueDataset only supports inputs with a single component."));
    };
    Ok(match t.dtype() {
        DType::String => Key::Strings(t.dims().to_vec(), t.as_strings()?.to_vec()),
        _ => Key::Plain(t.dims().to_vec(), t.bytes()?.to_vec()),
    })
}

struct UniqueIterator {
    input: AnyIterator,
    seen: HashSet<Key>,
}

impl DatasetIterator for UniqueIterator {
    fn next<'a>(&'a mut self, ctx: &'a IteratorContext) -> Next<'a> {
        Box::pin(async move {
            loop {
                let Some(element) = self.input.next(ctx).await? else { return Ok(None) };
                if self.seen.insert(key(&element)?) {
                    return Ok(Some(element));
                }
                pause().await;
            }
        })
    }
}
