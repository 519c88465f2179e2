//! Histograms of values as TensorBoard shows them (TF: `histogram::Histogram`, `HistogramProto`).
//!
//! The buckets are fixed: limits grow by a tenth from 1e-12 to 1e20, mirrored for negative values, with 0 in
//! between and the largest double at both ends. Bucket `i` counts the values in `[limit[i-1], limit[i])`.

use ferroflow_proto::HistogramProto;
use std::sync::LazyLock;

static LIMITS: LazyLock<Vec<f64>> = LazyLock::new(|| {
    let mut positive = Vec::new();
    let mut limit = 1e-12;
    while limit < 1e20 {
        positive.push(limit);
        limit *= 1.1;
    }
    positive.push(f64::MAX);
    let negative = positive.iter().rev().map(|limit| -limit);
    negative.chain([0.0]).chain(positive.iter().copied()).collect()
});

/// Counts of values by magnitude, with their extremes and sums.
#[derive(Clone, Debug)]
pub struct Histogram {
    min: f64,
    max: f64,
    num: f64,
    sum: f64,
    sum_squares: f64,
    counts: Vec<f64>,
}

impl Default for Histogram {
    fn default() -> Histogram {
        Histogram::new()
    }
}

impl Histogram {
    /// A histogram of nothing.
    pub fn new() -> Histogram {
        Histogram { min: f64::MAX, max: -f64::MAX, num: 0.0, sum: 0.0, sum_squares: 0.0, counts: vec![0.0; LIMITS.len()] }
    }

    /// Counts a value. Not-a-number and infinities count in the last or first bucket; whoever must refuse them checks before.
    pub fn add(&mut self, value: f64) {
        let bucket = LIMITS.partition_point(|&limit| limit <= value).min(LIMITS.len() - 1);
        let bucket = if value.is_nan() { LIMITS.len() - 1 } else { bucket };
        if let Some(count) = self.counts.get_mut(bucket) {
            *count += 1.0;
        }
        self.min = self.min.min(value);
        self.max = self.max.max(value);
        self.num += 1.0;
        self.sum += value;
        self.sum_squares += value * value;
    }

    /// The message of an event file; each run of empty buckets is one zero bucket that ends where the run ends.
    pub fn to_proto(&self) -> HistogramProto {
        let mut proto = HistogramProto {
            min: self.min,
            max: self.max,
            num: self.num,
            sum: self.sum,
            sum_squares: self.sum_squares,
            bucket_limit: Vec::new(),
            bucket: Vec::new(),
        };
        let mut empty_run_end = None;
        for (&limit, &count) in LIMITS.iter().zip(&self.counts) {
            if count == 0.0 {
                empty_run_end = Some(limit);
                continue;
            }
            if let Some(end) = empty_run_end.take() {
                proto.bucket_limit.push(end);
                proto.bucket.push(0.0);
            }
            proto.bucket_limit.push(limit);
            proto.bucket.push(count);
        }
        if let Some(end) = empty_run_end {
            proto.bucket_limit.push(end);
            proto.bucket.push(0.0);
        }
        proto
    }
}

impl Extend<f64> for Histogram {
    fn extend<I: IntoIterator<Item = f64>>(&mut self, values: I) {
        values.into_iter().for_each(|v| self.add(v));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(values: &[f64]) -> HistogramProto {
        let mut h = Histogram::new();
        h.extend(values.iter().copied());
        h.to_proto()
    }

    #[test]
    fn nothing_is_one_empty_bucket() {
        let h = of(&[]);
        assert_eq!((h.bucket_limit, h.bucket), (vec![f64::MAX], vec![0.0]));
        assert_eq!((h.min, h.max), (f64::MAX, -f64::MAX));
    }

    #[test]
    fn zeros_fall_into_the_first_positive_bucket() {
        let h = of(&[0.0, 0.0]);
        assert_eq!(h.bucket_limit, [0.0, 1e-12, f64::MAX]);
        assert_eq!(h.bucket, [0.0, 2.0, 0.0]);
    }

    #[test]
    fn a_value_at_a_limit_counts_above_it() {
        let h = of(&[1e-12]);
        assert_eq!(h.bucket_limit, [1e-12, 1e-12 * 1.1, f64::MAX]);
        assert_eq!(h.bucket, [0.0, 1.0, 0.0]);
    }

    #[test]
    fn sums_and_extremes_are_kept() {
        let h = of(&[-1.0, 3.0, 0.5]);
        assert_eq!((h.min, h.max, h.num, h.sum, h.sum_squares), (-1.0, 3.0, 3.0, 2.5, 10.25));
        assert_eq!(h.bucket.iter().sum::<f64>(), 3.0);
    }

    #[test]
    fn values_beyond_all_limits_are_counted_at_the_ends() {
        for (value, limit) in [(f64::MAX, f64::MAX), (f64::INFINITY, f64::MAX), (f64::NAN, f64::MAX), (f64::NEG_INFINITY, -f64::MAX)] {
            let h = of(&[value]);
            let i = h.bucket.iter().position(|&c| c == 1.0).unwrap();
            assert_eq!(h.bucket_limit[i], limit);
        }
    }
}
