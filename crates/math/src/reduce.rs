//! Reduction over any set of axes: TensorFlow's `Sum`, `Mean`, `Prod`, `Max`, `Min`, `EuclideanNorm`, `Any`, `All`.

use half::{bf16, f16};
use num_complex::Complex;
use smallvec::SmallVec;

use crate::error::ArithmeticError;
use crate::fold::{Accumulate, Fold, Largest, Product, Smallest, SquareSum, Sum, fold_rows};
use crate::parallel::{ParallelFor, for_each_part};
use crate::vectorise::vectorised;

/// What a reduction computes, by the name of TensorFlow's op. Of no elements: sums 0, products 1, `Max` and `Min` the lowest and
/// highest value (infinities), the mean NaN (0 for integers).
#[allow(missing_docs)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ReduceOp {
    /// sqrt of the sum of |x|²
    EuclideanNorm,
    Max,
    Mean,
    Min,
    Prod,
    Sum,
    /// The sum of |x|²; twice `L2Loss`.
    SumOfSquares,
}

/// An element type of reductions.
pub trait ReduceElement: Copy + Send + Sync + 'static {
    /// Reduces; callers use [`reduce`].
    fn reduce(pool: &dyn ParallelFor, op: ReduceOp, x: &[Self], dims: &Axes, out: &mut [Self]) -> Result<(), ArithmeticError>;
}

/// A shape in which each axis is kept or reduced, neighbours of one kind merged.
#[derive(Clone, Debug)]
pub struct Axes {
    /// Size and whether it is reduced; kept and reduced alternate.
    dims: SmallVec<[(usize, bool); 6]>,
    len: usize,
    kept: usize,
}

impl Axes {
    /// The axes of `shape` for which `reduced` says so. Panics when the two differ in length.
    pub fn new(shape: &[usize], reduced: &[bool]) -> Axes {
        assert_eq!(shape.len(), reduced.len());
        let mut dims: SmallVec<[(usize, bool); 6]> = SmallVec::new();
        for (&size, &reduced) in shape.iter().zip(reduced) {
            match dims.last_mut() {
                _ if size == 1 => {}
                Some(last) if last.1 == reduced => last.0 *= size,
                _ => dims.push((size, reduced)),
            }
        }
        let kept = dims.iter().filter(|d| !d.1).map(|d| d.0).product();
        Axes { dims, len: shape.iter().product(), kept }
    }

    /// The number of elements of the result.
    pub fn out_len(&self) -> usize {
        self.kept
    }
}

/// out = x reduced; `Max` and `Min` are `Unsupported` for complex numbers. Panics when a length is not that of `axes`.
pub fn reduce<T: ReduceElement>(pool: &dyn ParallelFor, op: ReduceOp, x: &[T], axes: &Axes, out: &mut [T]) -> Result<(), ArithmeticError> {
    assert_eq!((x.len(), out.len()), (axes.len, axes.kept));
    T::reduce(pool, op, x, axes, out)
}

/// out = whether any of the reduced elements is true. Panics when a length is not that of `axes`.
pub fn any(pool: &dyn ParallelFor, x: &[bool], axes: &Axes, out: &mut [bool]) {
    truth(pool, Largest, x, axes, out);
}

/// out = whether all of the reduced elements are true. Panics when a length is not that of `axes`.
pub fn all(pool: &dyn ParallelFor, x: &[bool], axes: &Axes, out: &mut [bool]) {
    truth(pool, Smallest, x, axes, out);
}

fn truth<F: Fold<u8>>(pool: &dyn ParallelFor, fold: F, x: &[bool], axes: &Axes, out: &mut [bool]) {
    assert_eq!((x.len(), out.len()), (axes.len, axes.kept));
    let x: Vec<u8> = x.iter().map(|&x| u8::from(x)).collect();
    for (out, acc) in out.iter_mut().zip(run(pool, &x, axes, fold, fold)) {
        *out = acc != 0;
    }
}

type Buffer<A> = SmallVec<[A; 16]>;

/// Elements that a task takes at least, and at most when a long reduction is cut.
const GRAIN: usize = 32 * 1024;

/// All reduced axes, the last one first: `fold` on the elements, `join` on what came out of it.
fn run<T: Accumulate, F: Fold<T>, G: Fold<T::Acc>>(pool: &dyn ParallelFor, x: &[T], axes: &Axes, fold: F, join: G) -> Buffer<T::Acc> {
    if axes.len == 0 {
        return SmallVec::from_elem(fold.start(), axes.kept);
    }
    let mut dims = axes.dims.clone();
    let Some((outer, size, inner)) = take_last(&mut dims) else {
        return x.iter().map(|x| fold.lift(x.load())).collect();
    };
    let mut acc = step(pool, x, outer, size, inner, fold, join);
    while let Some((outer, size, inner)) = take_last(&mut dims) {
        acc = step(pool, &acc, outer, size, inner, join, join);
    }
    acc
}

/// Takes the last reduced dimension out: its size and the sizes around it.
fn take_last(dims: &mut SmallVec<[(usize, bool); 6]>) -> Option<(usize, usize, usize)> {
    let at = dims.iter().rposition(|d| d.1)?;
    let (size, _) = dims.remove(at);
    let product = |dims: &[(usize, bool)]| dims.iter().map(|d| d.0).product();
    Some((product(&dims[..at]), size, product(&dims[at..])))
}

/// Reduces the middle one of three dimensions. A long one is cut in pieces of a size that depends on the shape only, so that the
/// result is the same with any number of threads.
fn step<T: Accumulate, F: Fold<T>, G: Fold<T::Acc>>(
    pool: &dyn ParallelFor,
    x: &[T],
    outer: usize,
    size: usize,
    inner: usize,
    fold: F,
    join: G,
) -> Buffer<T::Acc> {
    let piece = size.min((GRAIN / inner.max(1)).max(16));
    let pieces = size.div_ceil(piece);
    let mut acc: Buffer<T::Acc> = SmallVec::from_elem(fold.start(), outer * pieces * inner);
    for_each_part(pool, &mut acc, outer * pieces, GRAIN.div_ceil(piece * inner), &|range, acc| {
        for (task, acc) in range.zip(acc.chunks_exact_mut(inner)) {
            let (i, first) = (task / pieces, task % pieces * piece);
            let rows = piece.min(size - first);
            vectorised((&x[(i * size + first) * inner..][..rows * inner], acc, fold), fold_rows::<T, F>);
        }
    });
    if pieces == 1 { acc } else { step(pool, &acc, outer, pieces, inner, join, join) }
}

fn numbers<T: Accumulate>(pool: &dyn ParallelFor, op: ReduceOp, x: &[T], axes: &Axes, out: &mut [T]) {
    let count = axes.dims.iter().filter(|d| d.1).map(|d| d.0).product();
    let acc = match op {
        ReduceOp::Sum | ReduceOp::Mean => run(pool, x, axes, Sum, Sum),
        ReduceOp::EuclideanNorm | ReduceOp::SumOfSquares => run(pool, x, axes, SquareSum, Sum),
        ReduceOp::Prod => run(pool, x, axes, Product, Product),
        ReduceOp::Max => run(pool, x, axes, Largest, Largest),
        ReduceOp::Min => run(pool, x, axes, Smallest, Smallest),
    };
    for (out, acc) in out.iter_mut().zip(acc) {
        *out = T::store(match op {
            ReduceOp::Mean => T::divide(acc, count),
            ReduceOp::EuclideanNorm => T::root(acc),
            _ => acc,
        });
    }
}

macro_rules! ordered_element {
    ($($t:ty)*) => {$(
        impl ReduceElement for $t {
            fn reduce(pool: &dyn ParallelFor, op: ReduceOp, x: &[Self], axes: &Axes, out: &mut [Self]) -> Result<(), ArithmeticError> {
                numbers(pool, op, x, axes, out);
                Ok(())
            }
        }
    )*};
}
ordered_element!(f32 f64 f16 bf16 i8 i16 i32 i64 u8 u16 u32 u64);

macro_rules! complex_element {
    ($($t:ty)*) => {$(
        impl ReduceElement for Complex<$t> {
            fn reduce(pool: &dyn ParallelFor, op: ReduceOp, x: &[Self], axes: &Axes, out: &mut [Self]) -> Result<(), ArithmeticError> {
                if matches!(op, ReduceOp::Max | ReduceOp::Min) {
                    return Err(ArithmeticError::Unsupported);
                }
                numbers(pool, op, x, axes, out);
                Ok(())
            }
        }
    )*};
}
complex_element!(f32 f64);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parallel::Inline;
    use crate::parallel::tests::Threads;
    use crate::sample::Sample;

    /// By the definition: every element goes to the output element of its kept coordinates.
    fn reference(x: &[f64], shape: &[usize], reduced: &[bool], start: f64, join: impl Fn(f64, f64) -> f64) -> Vec<f64> {
        let kept: usize = shape.iter().zip(reduced).filter(|(_, r)| !**r).map(|(s, _)| s).product();
        let mut out = vec![start; kept];
        for (at, &x) in x.iter().enumerate() {
            let (mut rest, mut index, mut stride) = (at, 0, 1);
            for (&size, &reduced) in shape.iter().zip(reduced).rev() {
                if !reduced {
                    index += rest % size * stride;
                    stride *= size;
                }
                rest /= size;
            }
            out[index] = join(out[index], x);
        }
        out
    }

    #[test]
    fn every_set_of_axes_is_reduced_as_defined() {
        let mut sample = Sample::new(21);
        let mut shapes: Vec<Vec<usize>> =
            vec![vec![], vec![70_001], vec![40_000, 3], vec![3, 40_000], vec![300, 200], vec![2, 1000, 3, 50]];
        for _ in 0..30 {
            let rank = 1 + sample.below(5);
            shapes.push((0..rank).map(|_| 1 + sample.below(5)).collect());
        }
        for shape in shapes {
            let x = sample.f32s(shape.iter().product());
            let wide: Vec<f64> = x.iter().map(|&x| f64::from(x)).collect();
            for mask in 0..1usize << shape.len() {
                let reduced: Vec<bool> = (0..shape.len()).map(|i| mask >> i & 1 == 1).collect();
                let axes = Axes::new(&shape, &reduced);
                let count = (x.len() / axes.out_len()) as f64;
                for (op, expected) in [
                    (ReduceOp::Sum, reference(&wide, &shape, &reduced, 0.0, |a, b| a + b)),
                    (ReduceOp::Mean, reference(&wide, &shape, &reduced, 0.0, |a, b| a + b / count)),
                    (ReduceOp::SumOfSquares, reference(&wide, &shape, &reduced, 0.0, |a, b| a + b * b)),
                    (ReduceOp::EuclideanNorm, reference(&wide, &shape, &reduced, 0.0, |a, b| a.hypot(b))),
                    (ReduceOp::Max, reference(&wide, &shape, &reduced, f64::NEG_INFINITY, f64::max)),
                    (ReduceOp::Min, reference(&wide, &shape, &reduced, f64::INFINITY, f64::min)),
                    (ReduceOp::Prod, reference(&wide, &shape, &reduced, 1.0, |a, b| a * b)),
                ] {
                    let mut out = vec![0.0f32; axes.out_len()];
                    reduce(&Inline, op, &x, &axes, &mut out).unwrap();
                    for (o, e) in out.iter().zip(&expected) {
                        assert!((f64::from(*o) - e).abs() <= 2e-6 * (e.abs() + count.sqrt()), "{op:?} {shape:?} {reduced:?}: {o} {e}");
                    }
                    let mut threaded = vec![0.0f32; axes.out_len()];
                    reduce(&Threads(3), op, &x, &axes, &mut threaded).unwrap();
                    assert_eq!(out, threaded, "{op:?} {shape:?} {reduced:?}");
                }
            }
        }
    }

    fn of<T: ReduceElement + Default + Copy>(op: ReduceOp, x: &[T]) -> T {
        let mut out = [T::default()];
        reduce(&Inline, op, x, &Axes::new(&[x.len()], &[true]), &mut out).unwrap();
        out[0]
    }

    #[test]
    fn a_long_sum_of_equal_floats_stays_exact_enough() {
        let n = 10_000_000;
        let sum = of(ReduceOp::Sum, &vec![0.1f32; n]);
        assert!((f64::from(sum) / (f64::from(0.1f32) * n as f64) - 1.0).abs() < 1e-6, "{sum}");
        assert_eq!(of(ReduceOp::Mean, &vec![f16::from_f32(2.0); 100_000]), f16::from_f32(2.0));
    }

    #[test]
    fn nothing_reduces_to_the_neutral_element() {
        assert_eq!(of::<f32>(ReduceOp::Sum, &[]), 0.0);
        assert_eq!(of::<f32>(ReduceOp::Prod, &[]), 1.0);
        assert_eq!(of::<f32>(ReduceOp::Max, &[]), f32::NEG_INFINITY);
        assert_eq!(of::<i32>(ReduceOp::Min, &[]), i32::MAX);
        assert!(of::<f32>(ReduceOp::Mean, &[]).is_nan());
        assert_eq!(of::<i32>(ReduceOp::Mean, &[]), 0);
        let mut out = [9.0f32; 3];
        reduce(&Inline, ReduceOp::Sum, &[], &Axes::new(&[3, 0], &[false, true]), &mut out).unwrap();
        assert_eq!(out, [0.0; 3]);
        reduce::<f32>(&Inline, ReduceOp::Sum, &[], &Axes::new(&[3, 0], &[true, false]), &mut []).unwrap();
    }

    #[test]
    fn integers_wrap_and_nan_wins() {
        assert_eq!(of(ReduceOp::Sum, &[i32::MAX, 1]), i32::MIN);
        assert_eq!(of(ReduceOp::Mean, &[-7i64, 2]), -2);
        assert_eq!(of(ReduceOp::Max, &[1u8, 200, 3]), 200);
        assert!(of(ReduceOp::Max, &[1.0, f32::NAN, 3.0]).is_nan());
        assert!(of(ReduceOp::Min, &[f64::NAN, 1.0]).is_nan());
        let z = Complex::new(3.0f32, 4.0);
        assert_eq!(of(ReduceOp::EuclideanNorm, &[z]), Complex::new(5.0, 0.0));
        let max = reduce(&Inline, ReduceOp::Max, &[z], &Axes::new(&[1], &[true]), &mut [z]);
        assert_eq!(max, Err(ArithmeticError::Unsupported));
    }

    #[test]
    fn truth_is_reduced_over_axes() {
        let x = [true, false, false, false];
        let axes = Axes::new(&[2, 2], &[false, true]);
        let mut out = [false; 2];
        any(&Inline, &x, &axes, &mut out);
        assert_eq!(out, [true, false]);
        all(&Inline, &[true, true, true, false], &axes, &mut out);
        assert_eq!(out, [true, false]);
        let mut none = [false];
        all(&Inline, &[], &Axes::new(&[0], &[true]), &mut none);
        assert!(none[0]);
    }
}
