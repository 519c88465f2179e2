//! Along one axis: running sums and products (`Cumsum`, `Cumprod`), and where the largest or smallest element stands (`ArgMax`, `ArgMin`).
//! The other axes are given as the number of elements before and behind it.

use half::{bf16, f16};
use num_complex::Complex;

use crate::fold::{Accumulate, Fold, Product, Sum};
use crate::parallel::{ParallelFor, for_each_part};

/// A shape seen from one of its axes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Axis {
    /// The product of the dimensions before the axis.
    pub outer: usize,
    /// The size of the axis.
    pub size: usize,
    /// The product of the dimensions behind the axis.
    pub inner: usize,
}

impl Axis {
    /// Axis `axis` of `shape`; `None` when there is none.
    pub fn of(shape: &[usize], axis: usize) -> Option<Axis> {
        let &size = shape.get(axis)?;
        Some(Axis { outer: shape[..axis].iter().product(), size, inner: shape[axis + 1..].iter().product() })
    }

    fn len(&self) -> usize {
        self.outer * self.size * self.inner
    }
}

/// What runs along the axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScanOp {
    /// `Cumsum`
    Sum,
    /// `Cumprod`
    Product,
}

/// An element type of running sums and products.
pub trait ScanElement: Copy + Send + Sync + 'static {
    /// Callers use [`scan`].
    fn scan(pool: &dyn ParallelFor, op: ScanOp, axis: Axis, exclusive: bool, reverse: bool, x: &[Self], y: &mut [Self]);
}

/// y = the running sum or product of x, without the element itself if `exclusive`, from the end if `reverse`.
/// Panics when a length is not that of `axis`.
pub fn scan<T: ScanElement>(pool: &dyn ParallelFor, op: ScanOp, axis: Axis, exclusive: bool, reverse: bool, x: &[T], y: &mut [T]) {
    assert_eq!((x.len(), y.len()), (axis.len(), axis.len()));
    if !x.is_empty() {
        T::scan(pool, op, axis, exclusive, reverse, x, y);
    }
}

fn scan_with<T: Accumulate, F: Fold<T>>(pool: &dyn ParallelFor, axis: Axis, exclusive: bool, reverse: bool, x: &[T], y: &mut [T], fold: F) {
    let Axis { outer, size, inner } = axis;
    for_each_part(pool, y, outer, (16 * 1024usize).div_ceil(size * inner), &|range, y| {
        let mut acc = vec![fold.start(); inner];
        for (x, y) in x[range.start * size * inner..].chunks_exact(size * inner).zip(y.chunks_exact_mut(size * inner)) {
            acc.fill(fold.start());
            for step in 0..size {
                let row = if reverse { size - 1 - step } else { step } * inner;
                for ((acc, &x), y) in acc.iter_mut().zip(&x[row..]).zip(&mut y[row..]) {
                    let next = fold.join(*acc, x.load());
                    *y = T::store(if exclusive { *acc } else { next });
                    *acc = next;
                }
            }
        }
    });
}

macro_rules! scan_element {
    ($($t:ty)*) => {$(
        impl ScanElement for $t {
            fn scan(pool: &dyn ParallelFor, op: ScanOp, axis: Axis, exclusive: bool, reverse: bool, x: &[Self], y: &mut [Self]) {
                match op {
                    ScanOp::Sum => scan_with(pool, axis, exclusive, reverse, x, y, Sum),
                    ScanOp::Product => scan_with(pool, axis, exclusive, reverse, x, y, Product),
                }
            }
        }
    )*};
}
scan_element!(f32 f64 f16 bf16 i8 i16 i32 i64 u8 u16 u32 u64 Complex<f32> Complex<f64>);

/// Which element is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArgOp {
    /// `ArgMax`
    Max,
    /// `ArgMin`
    Min,
}

/// An element type in which the largest and smallest element can be found.
pub trait ArgElement: Copy + Send + Sync + 'static {
    /// Callers use [`arg`].
    fn arg(pool: &dyn ParallelFor, op: ArgOp, axis: Axis, x: &[Self], out: &mut [i64]);
}

/// out = the position along the axis of the largest or smallest element, the first one of several; NaN is passed over.
/// The axis must not be empty unless there is no output. Panics when a length is not that of `axis`.
pub fn arg<T: ArgElement>(pool: &dyn ParallelFor, op: ArgOp, axis: Axis, x: &[T], out: &mut [i64]) {
    assert_eq!((x.len(), out.len()), (axis.len(), axis.outer * axis.inner));
    assert!(out.is_empty() || axis.size > 0);
    if !out.is_empty() {
        T::arg(pool, op, axis, x, out);
    }
}

fn arg_with<T: Copy + Send + Sync>(pool: &dyn ParallelFor, axis: Axis, x: &[T], out: &mut [i64], beats: impl Fn(T, T) -> bool + Sync) {
    let Axis { outer, size, inner } = axis;
    for_each_part(pool, out, outer, (16 * 1024usize).div_ceil(size * inner), &|range, out| {
        for (x, out) in x[range.start * size * inner..].chunks_exact(size * inner).zip(out.chunks_exact_mut(inner)) {
            for (column, out) in out.iter_mut().enumerate() {
                let (mut best, mut at) = (x[column], 0);
                for (i, &x) in x[column..].iter().step_by(inner).enumerate().skip(1) {
                    if beats(x, best) {
                        (best, at) = (x, i);
                    }
                }
                *out = at as i64;
            }
        }
    });
}

macro_rules! arg_element {
    ($($t:ty)*) => {$(
        impl ArgElement for $t {
            // A value that does not equal itself is NaN; any other value beats it.
            #[allow(clippy::eq_op)]
            fn arg(pool: &dyn ParallelFor, op: ArgOp, axis: Axis, x: &[Self], out: &mut [i64]) {
                match op {
                    ArgOp::Max => arg_with(pool, axis, x, out, |x: $t, best: $t| x > best || (best != best && x == x)),
                    ArgOp::Min => arg_with(pool, axis, x, out, |x: $t, best: $t| x < best || (best != best && x == x)),
                }
            }
        }
    )*};
}
arg_element!(f32 f64 f16 bf16 i8 i16 i32 i64 u8 u16 u32 u64 bool);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parallel::Inline;
    use crate::parallel::tests::Threads;
    use crate::sample::Sample;

    #[test]
    fn running_sums_go_both_ways_with_and_without_the_element() {
        let axis = Axis::of(&[3], 0).unwrap();
        let run = |op, exclusive, reverse| {
            let mut y = [0; 3];
            scan(&Inline, op, axis, exclusive, reverse, &[2, 3, 4], &mut y);
            y
        };
        assert_eq!(run(ScanOp::Sum, false, false), [2, 5, 9]);
        assert_eq!(run(ScanOp::Sum, true, false), [0, 2, 5]);
        assert_eq!(run(ScanOp::Sum, false, true), [9, 7, 4]);
        assert_eq!(run(ScanOp::Sum, true, true), [7, 4, 0]);
        assert_eq!(run(ScanOp::Product, false, false), [2, 6, 24]);
        assert_eq!(run(ScanOp::Product, true, true), [12, 4, 1]);
    }

    #[test]
    fn a_middle_axis_is_scanned_for_each_place_around_it() {
        let x: Vec<f32> = (0..12).map(|x| x as f32).collect();
        let mut y = vec![0.0; 12];
        scan(&Threads(2), ScanOp::Sum, Axis::of(&[2, 3, 2], 1).unwrap(), false, false, &x, &mut y);
        assert_eq!(y, [0.0, 1.0, 2.0, 4.0, 6.0, 9.0, 6.0, 7.0, 14.0, 16.0, 24.0, 27.0]);
        scan::<f32>(&Inline, ScanOp::Sum, Axis::of(&[0, 3], 1).unwrap(), false, false, &[], &mut []);
        assert_eq!(Axis::of(&[2], 1), None);
    }

    #[test]
    fn the_first_of_equal_elements_is_named_and_nan_is_passed_over() {
        let find = |op, x: &[f32]| {
            let mut out = [-1];
            arg(&Inline, op, Axis { outer: 1, size: x.len(), inner: 1 }, x, &mut out);
            out[0]
        };
        assert_eq!(find(ArgOp::Max, &[1.0, 3.0, 3.0]), 1);
        assert_eq!(find(ArgOp::Min, &[1.0, 0.0, 0.0]), 1);
        assert_eq!(find(ArgOp::Max, &[f32::NAN, 1.0, 3.0, f32::NAN]), 2);
        assert_eq!(find(ArgOp::Max, &[f32::NAN, f32::NAN]), 0);
        assert_eq!(find(ArgOp::Max, &[f32::NEG_INFINITY; 2]), 0);
    }

    #[test]
    fn positions_along_any_axis_agree_with_a_search() {
        let mut sample = Sample::new(31);
        let shape = [40, 30, 20];
        let x = sample.f32s(shape.iter().product());
        for a in 0..3 {
            let axis = Axis::of(&shape, a).unwrap();
            let mut out = vec![0; axis.outer * axis.inner];
            arg(&Threads(3), ArgOp::Max, axis, &x, &mut out);
            for (i, &at) in out.iter().enumerate() {
                let column: Vec<f32> = (0..axis.size).map(|s| x[(i / axis.inner * axis.size + s) * axis.inner + i % axis.inner]).collect();
                assert!(column.iter().all(|&v| v <= column[at as usize]));
            }
        }
    }
}
