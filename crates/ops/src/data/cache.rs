//! The dataset of `Cache`: elements kept in memory (TF: `CacheDatasetOp`, `MemoryCache`).

use super::dataset::{AnyIterator, Dataset, DatasetHandle, DatasetIterator, Element, Next};
use super::iterator_context::IteratorContext;
use ferroflow_tensor::Result;
use std::sync::{Arc, OnceLock};

/// All elements, once an iterator has been at the end.
type Cache = Arc<OnceLock<Vec<Element>>>;

/// The dataset.
pub(super) struct CacheDataset {
    input: DatasetHandle,
    cache: Cache,
}

impl CacheDataset {
    /// Keeps the elements of `input`.
    pub(super) fn new(input: DatasetHandle) -> CacheDataset {
        CacheDataset { input, cache: Cache::default() }
    }
}

impl Dataset for CacheDataset {
    fn iterator(&self, _: &IteratorContext) -> Result<AnyIterator> {
        Ok(Box::new(CacheIterator { input: self.input.clone(), cache: self.cache.clone(), mode: Mode::NotBegun }))
    }

    fn cardinality(&self) -> i64 {
        self.input.cardinality()
    }
}

enum Mode {
    /// Which of the others it is to be is seen with the first request.
    NotBegun,
    /// From the input, gathering.
    Write(AnyIterator, Vec<Element>),
    /// From the cache.
    Read(usize),
    Over,
}

struct CacheIterator {
    input: DatasetHandle,
    cache: Cache,
    mode: Mode,
}

impl DatasetIterator for CacheIterator {
    fn next<'a>(&'a mut self, ctx: &'a IteratorContext) -> Next<'a> {
        Box::pin(async move {
            if let Mode::NotBegun = self.mode {
                self.mode = if self.cache.get().is_some() { Mode::Read(0) } else { Mode::Write(self.input.iterator(ctx)?, vec![]) };
            }
            match &mut self.mode {
                Mode::Write(input, gathered) => match input.next(ctx).await? {
                    Some(element) => {
                        gathered.push(element.clone());
                        Ok(Some(element))
                    }
                    None => {
                        // Another iterator may have been here before; its elements are as good.
                        let _ = self.cache.set(std::mem::take(gathered));
                        self.mode = Mode::Over;
                        Ok(None)
                    }
                },
                Mode::Read(next) => {
                    let element = self.cache.get().and_then(|all| all.get(*next)).cloned();
                    *next += usize::from(element.is_some());
                    Ok(element)
                }
                Mode::NotBegun | Mode::Over => Ok(None),
            }
        })
    }
}
