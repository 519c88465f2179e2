//! The dataset of `Batch` (TF: `BatchDatasetOp`).

use super::dataset::{AnyIterator, Dataset, DatasetHandle, DatasetIterator, Element, Next};
use super::iterator_context::IteratorContext;
use crate::dataflow::row_batch::stack;
use ferroflow_tensor::error::invalid_argument;
use ferroflow_tensor::{Result, Tensor};

/// The dataset.
pub(super) struct BatchDataset {
    input: DatasetHandle,
    size: usize,
    drop_remainder: bool,
}

/// The size of a batch.
///
/// Errors: `InvalidArgument` if it is not positive.
pub(super) fn batch_size(size: i64) -> Result<usize> {
    usize::try_from(size).ok().filter(|&n| n > 0).ok_or_else(|| invalid_argument("Batch size must be greater than zero."))
}

/// How many batches `n` elements make, where `n` is a cardinality.
pub(super) fn batches(n: i64, size: usize, drop_remainder: bool) -> i64 {
    let size = i64::try_from(size).unwrap_or(i64::MAX);
    match n {
        n if n < 0 => n,
        n => n / size + i64::from(!drop_remainder && n % size != 0),
    }
}

impl BatchDataset {
    /// Batches of this size.
    ///
    /// Errors: `InvalidArgument` for a size that is not positive.
    pub(super) fn new(input: DatasetHandle, size: i64, drop_remainder: bool) -> Result<BatchDataset> {
        Ok(BatchDataset { input, size: batch_size(size)?, drop_remainder })
    }
}

impl Dataset for BatchDataset {
    fn iterator(&self, ctx: &IteratorContext) -> Result<AnyIterator> {
        Ok(Box::new(BatchIterator { input: Some(self.input.iterator(ctx)?), size: self.size, drop_remainder: self.drop_remainder }))
    }

    fn cardinality(&self) -> i64 {
        batches(self.input.cardinality(), self.size, self.drop_remainder)
    }
}

struct BatchIterator {
    /// Nothing once it has ended.
    input: Option<AnyIterator>,
    size: usize,
    drop_remainder: bool,
}

/// The next `size` elements of an input, fewer at its end; the input is dropped there.
///
/// Errors: what the input returns; the elements before are lost.
pub(super) async fn gather(input: &mut Option<AnyIterator>, size: usize, ctx: &IteratorContext) -> Result<Vec<Element>> {
    let mut elements = Vec::new();
    while elements.len() < size {
        let Some(iterator) = input else { break };
        match iterator.next(ctx).await? {
            Some(element) => elements.push(element),
            None => *input = None,
        }
    }
    Ok(elements)
}

impl DatasetIterator for BatchIterator {
    fn next<'a>(&'a mut self, ctx: &'a IteratorContext) -> Next<'a> {
        Box::pin(async move {
            let elements = gather(&mut self.input, self.size, ctx).await?;
            if elements.is_empty() || self.drop_remainder && elements.len() < self.size {
                return Ok(None);
            }
            batch(&elements).map(Some)
        })
    }
}

/// The components of elements below each other.
///
/// Errors: `InvalidArgument` if shapes differ; `ResourceExhausted` without memory.
fn batch(elements: &[Element]) -> Result<Element> {
    let first = elements.first().map(Vec::as_slice).unwrap_or_default();
    let component = |(i, example): (usize, &Tensor)| {
        let column: Vec<&Tensor> = elements.iter().filter_map(|e| e.get(i)).collect();
        if column.len() != elements.len() {
            return Err(invalid_argument("elements of a batch have different numbers of components"));
        }
        if let Some((k, other)) = column.iter().enumerate().find(|(_, t)| t.shape() != example.shape()) {
            return Err(invalid_argument(format!(
                "Cannot batch tensors with different shapes in component {i}. First element had shape {} and element {k} had shape {}.",
                example.shape(),
                other.shape()
            )));
        }
        stack(example.dtype(), example.shape(), &column)
    };
    first.iter().enumerate().map(component).collect()
}
