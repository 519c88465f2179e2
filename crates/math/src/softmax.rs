//! Softmax over the last axis and the cross entropy that goes with it: TensorFlow's `Softmax`, `LogSoftmax`,
//! `SoftmaxCrossEntropyWithLogits` and `SparseSoftmaxCrossEntropyWithLogits`. Each row is shifted by its maximum first, so that nothing overflows.

use half::{bf16, f16};
use num_traits::{One, Zero};

use crate::fold::{Accumulate, Largest, Sum, fold_row};
use crate::number::{Floating, Real};
use crate::parallel::{ParallelFor, Parts, for_each_part, for_each_range};
use crate::vectorise::vectorised;

/// An element type of softmax rows.
pub trait SoftmaxElement: Floating {
    /// Rows of `classes` elements; callers use [`softmax`] and [`log_softmax`].
    fn rows(x: &[Self], y: &mut [Self], classes: usize, log: bool);

    /// Rows of `classes` elements; callers use [`softmax_cross_entropy`] and [`sparse_softmax_cross_entropy`].
    fn cross_entropy_rows(logits: &[Self], labels: Labels<Self>, classes: usize, loss: &mut [Self], backprop: &mut [Self]);
}

/// What the rows should be.
#[derive(Clone, Copy, Debug)]
pub enum Labels<'a, T> {
    /// A distribution for each row.
    Dense(&'a [T]),
    /// The right class of each row, already checked.
    Sparse(&'a [i64]),
}

/// y = softmax of each row of `classes` elements. Panics when the lengths differ or are no multiple of `classes`.
pub fn softmax<T: SoftmaxElement>(pool: &dyn ParallelFor, x: &[T], y: &mut [T], classes: usize) {
    rows(pool, x, y, classes, false);
}

/// y = logarithm of the softmax of each row of `classes` elements. Panics when the lengths differ or are no multiple of `classes`.
pub fn log_softmax<T: SoftmaxElement>(pool: &dyn ParallelFor, x: &[T], y: &mut [T], classes: usize) {
    rows(pool, x, y, classes, true);
}

/// Elements that a task takes at least.
const GRAIN: usize = 4 * 1024;

fn rows<T: SoftmaxElement>(pool: &dyn ParallelFor, x: &[T], y: &mut [T], classes: usize, log: bool) {
    assert_eq!(x.len(), y.len());
    if x.is_empty() {
        return;
    }
    assert!(classes > 0 && x.len().is_multiple_of(classes));
    for_each_part(pool, y, x.len() / classes, GRAIN.div_ceil(classes), &|range, y| {
        T::rows(&x[range.start * classes..range.end * classes], y, classes, log);
    });
}

/// loss = cross entropy of `labels` (a distribution in each row) and the softmax of `logits`; backprop = its gradient by the logits,
/// softmax - labels. Panics when `loss` is not one element and the others are not `classes` elements for each row.
pub fn softmax_cross_entropy<T: SoftmaxElement>(
    pool: &dyn ParallelFor,
    logits: &[T],
    labels: &[T],
    classes: usize,
    loss: &mut [T],
    backprop: &mut [T],
) {
    assert_eq!(logits.len(), labels.len());
    cross_entropy(pool, logits, Labels::Dense(labels), classes, loss, backprop);
}

/// Like [`softmax_cross_entropy`], with the number of the right class for each row. A label outside 0..`classes` is returned
/// as the error, and nothing is written then. Panics when a length does not fit.
pub fn sparse_softmax_cross_entropy<T: SoftmaxElement>(
    pool: &dyn ParallelFor,
    logits: &[T],
    labels: &[i64],
    classes: usize,
    loss: &mut [T],
    backprop: &mut [T],
) -> Result<(), i64> {
    assert_eq!(labels.len(), loss.len());
    if let Some(&label) = labels.iter().find(|&&label| usize::try_from(label).map_or(true, |label| label >= classes)) {
        return Err(label);
    }
    cross_entropy(pool, logits, Labels::Sparse(labels), classes, loss, backprop);
    Ok(())
}

fn cross_entropy<T: SoftmaxElement>(
    pool: &dyn ParallelFor,
    logits: &[T],
    labels: Labels<T>,
    classes: usize,
    loss: &mut [T],
    backprop: &mut [T],
) {
    assert_eq!(Some(logits.len()), loss.len().checked_mul(classes));
    assert_eq!(logits.len(), backprop.len());
    if classes == 0 {
        loss.fill(T::default());
        return;
    }
    let rows = loss.len();
    let (loss, backprop) = (Parts::new(loss), Parts::new(backprop));
    for_each_range(pool, rows, GRAIN.div_ceil(classes), &|range| {
        let elements = range.start * classes..range.end * classes;
        // SAFETY: the ranges do not overlap, and neither do their multiples.
        let (loss, backprop) = unsafe { (loss.get(range.clone()), backprop.get(elements.clone())) };
        let labels = match labels {
            Labels::Dense(labels) => Labels::Dense(&labels[elements.clone()]),
            Labels::Sparse(labels) => Labels::Sparse(&labels[range]),
        };
        T::cross_entropy_rows(&logits[elements], labels, classes, loss, backprop);
    });
}

/// shifted = x - max x, exps = e^shifted; gives the sum of `exps`.
#[inline(always)]
fn exponentials<T: Floating>(x: &[T], shifted: &mut [T::Wide], exps: &mut [T::Wide]) -> T::Wide
where
    T::Wide: Accumulate<Acc = T::Wide>,
{
    for (shifted, x) in shifted.iter_mut().zip(x) {
        *shifted = x.widen();
    }
    let max = fold_row(shifted, Largest);
    for (shifted, exp) in shifted.iter_mut().zip(exps.iter_mut()) {
        *shifted -= max;
        *exp = shifted.exponential();
    }
    fold_row(exps, Sum)
}

#[inline(always)]
fn softmax_rows<T: Floating>((x, y, classes, log): (&[T], &mut [T], usize, bool))
where
    T::Wide: Accumulate<Acc = T::Wide>,
{
    let mut scratch = vec![T::Wide::zero(); 2 * classes];
    let (shifted, exps) = scratch.split_at_mut(classes);
    for (x, y) in x.chunks_exact(classes).zip(y.chunks_exact_mut(classes)) {
        let sum = exponentials(x, shifted, exps);
        if log {
            let log_sum = sum.logarithm();
            for (y, &shifted) in y.iter_mut().zip(&*shifted) {
                *y = T::narrow(shifted - log_sum);
            }
        } else {
            let scale = T::Wide::one() / sum;
            for (y, &exp) in y.iter_mut().zip(&*exps) {
                *y = T::narrow(exp * scale);
            }
        }
    }
}

#[inline(always)]
fn entropy_rows<T: Floating>((logits, labels, classes, loss, backprop): (&[T], Labels<T>, usize, &mut [T], &mut [T]))
where
    T::Wide: Accumulate<Acc = T::Wide>,
{
    let mut scratch = vec![T::Wide::zero(); 2 * classes];
    let (shifted, exps) = scratch.split_at_mut(classes);
    let rows = logits.chunks_exact(classes).zip(backprop.chunks_exact_mut(classes)).zip(loss);
    for (row, ((logits, backprop), loss)) in rows.enumerate() {
        let sum = exponentials(logits, shifted, exps);
        let (log_sum, scale) = (sum.logarithm(), T::Wide::one() / sum);
        match labels {
            Labels::Dense(labels) => {
                let labels = &labels[row * classes..][..classes];
                for ((backprop, &exp), label) in backprop.iter_mut().zip(&*exps).zip(labels) {
                    *backprop = T::narrow(exp * scale - label.widen());
                }
                for (shifted, label) in shifted.iter_mut().zip(labels) {
                    let label = label.widen();
                    // An impossible class (-infinity) costs nothing if it is not wanted.
                    *shifted = if label == T::Wide::zero() { label } else { label * (log_sum - *shifted) };
                }
                *loss = T::narrow(fold_row(shifted, Sum));
            }
            Labels::Sparse(labels) => {
                for (backprop, &exp) in backprop.iter_mut().zip(&*exps) {
                    *backprop = T::narrow(exp * scale);
                }
                let label = labels[row] as usize;
                *loss = T::narrow(log_sum - shifted[label]);
                backprop[label] = T::narrow(exps[label] * scale - T::Wide::one());
            }
        }
    }
}

macro_rules! softmax_element {
    ($($t:ty)*) => {$(
        impl SoftmaxElement for $t {
            fn rows(x: &[Self], y: &mut [Self], classes: usize, log: bool) {
                vectorised((x, y, classes, log), softmax_rows::<$t>);
            }

            fn cross_entropy_rows(logits: &[Self], labels: Labels<Self>, classes: usize, loss: &mut [Self], backprop: &mut [Self]) {
                vectorised((logits, labels, classes, loss, backprop), entropy_rows::<$t>);
            }
        }
    )*};
}
softmax_element!(f32 f64 f16 bf16);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parallel::Inline;
    use crate::parallel::tests::Threads;
    use crate::sample::Sample;

    fn reference(x: &[f64]) -> Vec<f64> {
        let max = x.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let sum: f64 = x.iter().map(|x| (x - max).exp()).sum();
        x.iter().map(|x| (x - max).exp() / sum).collect()
    }

    #[test]
    fn rows_are_distributions_that_agree_with_the_definition() {
        let mut sample = Sample::new(41);
        for (rows, classes) in [(1, 1), (3, 2), (32, 10), (5, 33), (700, 100), (2, 5000)] {
            let x: Vec<f32> = sample.f32s(rows * classes).iter().map(|x| x * 20.0).collect();
            let (mut y, mut log) = (vec![0.0; x.len()], vec![0.0; x.len()]);
            softmax(&Threads(3), &x, &mut y, classes);
            log_softmax(&Threads(3), &x, &mut log, classes);
            for (row, x) in x.chunks(classes).enumerate() {
                let expected = reference(&x.iter().map(|&x| f64::from(x)).collect::<Vec<_>>());
                for (i, e) in expected.iter().enumerate() {
                    let at = row * classes + i;
                    assert!((f64::from(y[at]) - e).abs() < 1e-6 * (e + 0.1), "{rows}x{classes}: {} {e}", y[at]);
                    assert!((f64::from(log[at]) - e.ln()).abs() < 1e-6 * (1.0 + e.ln().abs()));
                }
            }
        }
    }

    #[test]
    fn large_logits_do_not_overflow_and_nan_spreads_over_its_row_only() {
        let mut y = [0.0f32; 4];
        softmax(&Inline, &[1000.0, 1000.0, f32::NAN, 1.0], &mut y, 2);
        assert_eq!(y[..2], [0.5, 0.5]);
        assert!(y[2].is_nan() && y[3].is_nan());
        softmax(&Inline, &[f32::NEG_INFINITY, 0.0], &mut y[..2], 2);
        assert_eq!(y[..2], [0.0, 1.0]);
        softmax::<f32>(&Inline, &[], &mut [], 0);
        let mut half = [f16::default(); 2];
        softmax(&Inline, &[f16::from_f32(3.0); 2], &mut half, 2);
        assert_eq!(half, [f16::from_f32(0.5); 2]);
    }

    #[test]
    fn dense_and_sparse_cross_entropy_agree_with_the_definition() {
        let mut sample = Sample::new(42);
        let (rows, classes) = (900, 10);
        let logits: Vec<f64> = sample.f64s(rows * classes).iter().map(|x| x * 9.0).collect();
        let sparse: Vec<i64> = (0..rows).map(|_| sample.below(classes) as i64).collect();
        let mut dense = vec![0.0; rows * classes];
        for (row, &label) in sparse.iter().enumerate() {
            dense[row * classes + label as usize] = 1.0;
        }
        let (mut loss, mut backprop) = (vec![0.0; rows], vec![0.0; rows * classes]);
        softmax_cross_entropy(&Threads(2), &logits, &dense, classes, &mut loss, &mut backprop);
        for row in 0..rows {
            let expected = reference(&logits[row * classes..][..classes]);
            assert!((loss[row] + expected[sparse[row] as usize].ln()).abs() < 1e-12);
            for i in 0..classes {
                assert!((backprop[row * classes + i] - expected[i] + dense[row * classes + i]).abs() < 1e-12);
            }
        }
        let (mut loss2, mut backprop2) = (vec![0.0; rows], vec![0.0; rows * classes]);
        sparse_softmax_cross_entropy(&Threads(2), &logits, &sparse, classes, &mut loss2, &mut backprop2).unwrap();
        assert!(loss.iter().zip(&loss2).chain(backprop.iter().zip(&backprop2)).all(|(a, b)| (a - b).abs() < 1e-12));
    }

    #[test]
    fn a_label_that_is_no_class_is_named() {
        let (mut loss, mut backprop) = ([7.0f32], [7.0f32; 2]);
        for label in [2, -1, i64::MIN] {
            let outcome = sparse_softmax_cross_entropy(&Inline, &[0.0, 1.0], &[label], 2, &mut loss, &mut backprop);
            assert_eq!(outcome, Err(label));
        }
        assert_eq!((loss, backprop), ([7.0], [7.0; 2]));
    }

    #[test]
    fn an_impossible_class_without_weight_costs_nothing() {
        let (mut loss, mut backprop) = ([0.0f32], [0.0f32; 2]);
        softmax_cross_entropy(&Inline, &[f32::NEG_INFINITY, 3.0], &[0.0, 1.0], 2, &mut loss, &mut backprop);
        assert_eq!((loss, backprop), ([0.0], [0.0, 0.0]));
    }
}
