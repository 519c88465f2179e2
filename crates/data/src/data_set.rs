//! `DataSet`: labelled images in memory.

use crate::random::SplitMix;
use ferroflow_tensor::error::invalid_argument;
use ferroflow_tensor::{Result, Shape, Tensor};
use std::sync::Arc;

/// Labelled examples. Cloning shares them.
#[derive(Clone, Debug)]
pub struct DataSet {
    /// Features of all examples, row by row, in [0, 1].
    features: Arc<Vec<f32>>,
    labels: Arc<Vec<i64>>,
    width: usize,
    classes: usize,
}

/// A data set in two parts.
#[derive(Clone, Debug)]
pub struct Split {
    /// To train on.
    pub train: DataSet,
    /// To evaluate on.
    pub test: DataSet,
}

impl DataSet {
    /// Examples of `width` features each, with class numbers below `classes`.
    ///
    /// Errors: `InvalidArgument` if the numbers do not fit each other.
    pub fn new(features: Vec<f32>, labels: Vec<i64>, width: usize, classes: usize) -> Result<DataSet> {
        if labels.len().checked_mul(width) != Some(features.len()) {
            return Err(invalid_argument(format!("{} features are not {} examples of {width}", features.len(), labels.len())));
        }
        if let Some(bad) = labels.iter().find(|l| usize::try_from(**l).map_or(true, |l| l >= classes)) {
            return Err(invalid_argument(format!("label {bad} is not below {classes}")));
        }
        Ok(DataSet { features: Arc::new(features), labels: Arc::new(labels), width, classes })
    }

    /// How many examples there are.
    pub fn len(&self) -> usize {
        self.labels.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.labels.is_empty()
    }

    /// Features per example.
    pub fn width(&self) -> usize {
        self.width
    }

    /// How many classes there are.
    pub fn classes(&self) -> usize {
        self.classes
    }

    /// The features of an example.
    pub(crate) fn row(&self, i: usize) -> &[f32] {
        &self.features[i * self.width..(i + 1) * self.width]
    }

    pub(crate) fn label(&self, i: usize) -> i64 {
        self.labels[i]
    }

    /// All examples: features `[n, width]` float, labels `[n]` int64.
    ///
    /// Errors: `ResourceExhausted` without memory.
    pub fn tensors(&self) -> Result<(Tensor, Tensor)> {
        let features = Tensor::from_slice(Shape::from_lens(&[self.len(), self.width])?, &self.features)?;
        Ok((features, Tensor::vector(&self.labels)?))
    }

    /// The examples at these places.
    fn select(&self, places: &[usize]) -> Result<DataSet> {
        let features = places.iter().flat_map(|&i| self.row(i).iter().copied()).collect();
        let labels = places.iter().map(|&i| self.label(i)).collect();
        DataSet::new(features, labels, self.width, self.classes)
    }

    /// Splits off every `n`th example of a random order (the same for a given seed) for testing.
    ///
    /// Errors: `InvalidArgument` if `n` is below 2 or there are fewer than `n` examples.
    pub fn split(&self, n: usize, seed: u64) -> Result<Split> {
        if n < 2 || self.len() < n {
            return Err(invalid_argument(format!("{} examples cannot be split one in {n}", self.len())));
        }
        let mut order: Vec<usize> = (0..self.len()).collect();
        SplitMix::new(seed).shuffle(&mut order);
        let part = |for_testing: bool| -> Vec<usize> {
            order.iter().enumerate().filter(|(i, _)| (i % n == 0) == for_testing).map(|(_, &place)| place).collect()
        };
        Ok(Split { train: self.select(&part(false))?, test: self.select(&part(true))? })
    }
}
