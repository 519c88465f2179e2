//! `Batches`: a data set dealt out in shuffled batches without end, each worker its own share.

use crate::data_set::DataSet;
use crate::random::SplitMix;
use ferroflow_tensor::error::invalid_argument;
use ferroflow_tensor::{Result, Shape, Tensor};

/// Some examples.
#[derive(Clone, Debug)]
pub struct Batch {
    /// `[batch, width]`, float
    pub features: Tensor,
    /// `[batch]`, int64
    pub labels: Tensor,
    /// How many times the whole share has been seen before this batch began.
    pub epoch: usize,
}

/// Deals out batches. Within an epoch each example of the share comes once; a batch may span two epochs.
#[derive(Clone, Debug)]
pub struct Batches {
    data: DataSet,
    order: Vec<usize>,
    next: usize,
    epoch: usize,
    batch: usize,
    random: SplitMix,
}

impl Batches {
    /// Batches of `batch` examples of share `shard` of `shards` (example i belongs to share i mod shards), shuffled by `seed`.
    ///
    /// Errors: `InvalidArgument` if the share is empty, or a number is out of range.
    pub fn new(data: &DataSet, shard: usize, shards: usize, batch: usize, seed: u64) -> Result<Batches> {
        if shards == 0 || shard >= shards {
            return Err(invalid_argument(format!("there is no share {shard} of {shards}")));
        }
        if batch == 0 {
            return Err(invalid_argument("a batch must hold at least one example"));
        }
        let order: Vec<usize> = (shard..data.len()).step_by(shards).collect();
        if order.is_empty() {
            return Err(invalid_argument(format!("share {shard} of {shards} of {} examples is empty", data.len())));
        }
        let mut batches =
            Batches { data: data.clone(), order, next: 0, epoch: 0, batch, random: SplitMix::new(seed ^ (shard as u64) << 32) };
        batches.random.shuffle(&mut batches.order);
        Ok(batches)
    }

    /// The next batch.
    ///
    /// Errors: `ResourceExhausted` without memory.
    pub fn next_batch(&mut self) -> Result<Batch> {
        let epoch = self.epoch;
        let width = self.data.width();
        let mut places = Vec::with_capacity(self.batch);
        while places.len() < self.batch {
            if self.next == self.order.len() {
                self.random.shuffle(&mut self.order);
                (self.next, self.epoch) = (0, self.epoch + 1);
            }
            places.push(self.order[self.next]);
            self.next += 1;
        }
        let features = Tensor::build(Shape::from_lens(&[self.batch, width])?, |out: &mut [f32]| {
            for (row, &i) in out.chunks_exact_mut(width.max(1)).zip(&places) {
                row.copy_from_slice(self.data.row(i));
            }
            Ok(())
        })?;
        let labels: Vec<i64> = places.iter().map(|&i| self.data.label(i)).collect();
        Ok(Batch { features, labels: Tensor::vector(&labels)?, epoch })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(n: usize) -> DataSet {
        DataSet::new((0..n).map(|i| i as f32).collect(), vec![0; n], 1, 1).unwrap()
    }

    #[test]
    fn an_epoch_deals_each_example_of_the_share_once() {
        let mut b = Batches::new(&numbers(10), 1, 2, 5, 7).unwrap();
        for epoch in 0..3 {
            let batch = b.next_batch().unwrap();
            assert_eq!(batch.epoch, if epoch == 0 { 0 } else { epoch - 1 });
            let mut seen = batch.features.as_slice::<f32>().unwrap().to_vec();
            seen.sort_by(f32::total_cmp);
            assert_eq!(seen, [1.0, 3.0, 5.0, 7.0, 9.0]);
        }
    }

    #[test]
    fn shares_and_batches_that_cannot_be_are_refused() {
        assert!(Batches::new(&numbers(1), 1, 2, 1, 0).is_err());
        assert!(Batches::new(&numbers(4), 2, 2, 1, 0).is_err());
        assert!(Batches::new(&numbers(4), 0, 1, 0, 0).is_err());
    }
}
