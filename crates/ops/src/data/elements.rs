//! `ElementsDataset`: elements that are there already, such as those of a window or a group (TF: `WindowDataset` of `window_dataset.h`).

use super::dataset::{AnyIterator, Dataset, DatasetIterator, Element, Next};
use super::iterator_context::IteratorContext;
use ferroflow_tensor::Result;
use std::sync::Arc;

/// The dataset.
pub(super) struct ElementsDataset(Arc<Vec<Element>>);

impl ElementsDataset {
    /// These elements.
    pub(super) fn new(elements: Vec<Element>) -> ElementsDataset {
        ElementsDataset(Arc::new(elements))
    }
}

impl Dataset for ElementsDataset {
    fn iterator(&self, _: &IteratorContext) -> Result<AnyIterator> {
        Ok(Box::new(ElementsIterator { elements: self.0.clone(), next: 0 }))
    }

    fn cardinality(&self) -> i64 {
        i64::try_from(self.0.len()).unwrap_or(i64::MAX)
    }
}

struct ElementsIterator {
    elements: Arc<Vec<Element>>,
    next: usize,
}

impl DatasetIterator for ElementsIterator {
    fn next<'a>(&'a mut self, _: &'a IteratorContext) -> Next<'a> {
        let element = self.elements.get(self.next).cloned();
        self.next += usize::from(element.is_some());
        Box::pin(std::future::ready(Ok(element)))
    }
}
