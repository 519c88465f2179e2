//! Matrix product, TensorFlow's `MatMul` and `BatchMatMul`. f32 and f64 go block by block through the micro-kernels of the `gemm`
//! crates, which pack their operands themselves and so take transposes by strides; it was as fast as or faster than `matrixmultiply` on
//! the shapes of small networks. 16-bit types are widened to f32 and rounded once; integers and complex numbers use a plain loop.

use gemm_common::Parallelism;
use half::{bf16, f16};
use num_complex::Complex;
use std::ops::Range;

use crate::number::Floating;
use crate::parallel::{ParallelFor, Parts, for_each_part};
use crate::vectorise::vectorised;

/// A matrix in a slice: element (i, j) stands at `i * row_stride + j * col_stride`.
#[derive(Clone, Copy, Debug)]
pub struct MatrixRef<'a, T> {
    data: &'a [T],
    rows: usize,
    cols: usize,
    row_stride: usize,
    col_stride: usize,
    conjugate: bool,
}

impl<'a, T> MatrixRef<'a, T> {
    /// A matrix whose rows follow each other. Panics when `data` is not `rows` * `cols` long.
    pub fn new(data: &'a [T], rows: usize, cols: usize) -> Self {
        assert_eq!(Some(data.len()), rows.checked_mul(cols));
        MatrixRef { data, rows, cols, row_stride: cols, col_stride: 1, conjugate: false }
    }

    /// The transpose; nothing moves.
    pub fn transposed(self) -> Self {
        MatrixRef { rows: self.cols, cols: self.rows, row_stride: self.col_stride, col_stride: self.row_stride, ..self }
    }

    /// The conjugate transpose; for real types the transpose.
    pub fn adjoint(self) -> Self {
        MatrixRef { conjugate: !self.conjugate, ..self.transposed() }
    }

    /// The transpose if `transpose`, else the matrix itself.
    pub fn transposed_if(self, transpose: bool) -> Self {
        if transpose { self.transposed() } else { self }
    }

    /// The conjugate transpose if `adjoint`, else the matrix itself.
    pub fn adjoint_if(self, adjoint: bool) -> Self {
        if adjoint { self.adjoint() } else { self }
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The number of columns.
    pub fn cols(&self) -> usize {
        self.cols
    }
}

/// An element type of matrices.
pub trait GemmElement: Copy + Default + Send + Sync + 'static {
    /// c = a b, or c += a b when `accumulate`; shapes are checked and no dimension is 0. Callers use [`matmul`].
    fn product(pool: &dyn ParallelFor, a: MatrixRef<Self>, b: MatrixRef<Self>, c: &mut [Self], accumulate: bool);
}

/// c = a b, or c += a b when `accumulate`; `c` is row by row. Panics when the shapes do not fit.
pub fn matmul<T: GemmElement>(pool: &dyn ParallelFor, a: MatrixRef<T>, b: MatrixRef<T>, c: &mut [T], accumulate: bool) {
    assert_eq!(a.cols, b.rows);
    assert_eq!(Some(c.len()), a.rows.checked_mul(b.cols));
    if a.cols == 0 {
        if !accumulate {
            c.fill(T::default());
        }
    } else if !c.is_empty() {
        T::product(pool, a, b, c, accumulate);
    }
}

/// For each `(i, j)` of `pairs`, in order, the product of matrix `i` of `a` and matrix `j` of `b`, written one after the other to `c`.
/// The closures give the matrices (from a broadcast batch, say). Panics when the shapes do not fit.
pub fn batch_matmul<'a, T: GemmElement>(
    pool: &dyn ParallelFor,
    pairs: &[(usize, usize)],
    a: &(dyn Fn(usize) -> MatrixRef<'a, T> + Sync),
    b: &(dyn Fn(usize) -> MatrixRef<'a, T> + Sync),
    c: &mut [T],
) {
    let Some(&(i, j)) = pairs.first() else { return };
    let (first, second) = (a(i), b(j));
    let size = first.rows * second.cols;
    assert_eq!(Some(c.len()), pairs.len().checked_mul(size));
    if size == 0 {
        return;
    }
    let work = size.saturating_mul(first.cols);
    if pairs.len() < pool.threads() && work > TASK_WORK {
        // Few large products: each is spread over the threads.
        for (&(i, j), c) in pairs.iter().zip(c.chunks_mut(size)) {
            matmul(pool, a(i), b(j), c, false);
        }
        return;
    }
    for_each_part(pool, c, pairs.len(), TASK_WORK.div_ceil(work.max(1)), &|range, c| {
        for (&(i, j), c) in pairs[range].iter().zip(c.chunks_mut(size)) {
            matmul(&crate::parallel::Inline, a(i), b(j), c, false);
        }
    });
}

/// Multiplications that a task has at least: about 20 microseconds.
const TASK_WORK: usize = 1 << 20;
/// Multiplications that a task has at least when there are more tasks than threads: about half a millisecond.
const LARGE_TASK_WORK: usize = 1 << 24;
/// Block borders are multiples of this, so that no task ends in the middle of a register tile.
const TILE: usize = 48;

/// Cuts an m x n result into nearly square blocks, which need the least of `a` and `b`, and calls `block` with the rows and columns of
/// each. A large product has two blocks for each thread, so that a thread that comes late holds nobody up; more would pack too much.
fn for_each_block(pool: &dyn ParallelFor, m: usize, n: usize, k: usize, block: &(dyn Fn(Range<usize>, Range<usize>) + Sync)) {
    let work = m.saturating_mul(n).saturating_mul(k);
    let threads = pool.threads();
    let tasks = (work / TASK_WORK).min(threads).max((work / LARGE_TASK_WORK).min(threads * 2));
    if threads <= 1 || tasks <= 1 {
        return block(0..m, 0..n);
    }
    let down = ((tasks as f64 * m as f64 / n as f64).sqrt().round() as usize).clamp(1, tasks);
    let side = |len: usize, parts: usize| len.div_ceil(parts).next_multiple_of(TILE);
    let (height, width) = (side(m, down), side(n, tasks.div_ceil(down)));
    let across = n.div_ceil(width);
    pool.run(m.div_ceil(height) * across, &|task| {
        let (i, j) = (task / across, task % across);
        block(i * height..((i + 1) * height).min(m), j * width..((j + 1) * width).min(n));
    });
}

/// Whether a product is computed as it stands, not as its transpose (b^T a^T = (a b)^T). The `gemm` crates write column by column, so
/// our row-major results are best taken as transposed, except for few rows over a deep `b`: then packing `b` is most of the work, and
/// the operand on the right is packed the faster way.
fn stands_upright(m: usize, k: usize, n: usize, b_by_columns: bool) -> bool {
    m < TILE && k > 32 && (b_by_columns || k.saturating_mul(n) > 1 << 18)
}

macro_rules! fast_element {
    ($t:ident, $crate_name:ident) => {
        impl GemmElement for $t {
            fn product(pool: &dyn ParallelFor, a: MatrixRef<$t>, b: MatrixRef<$t>, c: &mut [$t], accumulate: bool) {
                let (k, n) = (a.cols, b.cols);
                let gemm = $crate_name::gemm::$t::get_gemm_fn();
                let c = Parts::new(c);
                debug_assert_eq!(c.len(), a.rows * n);
                for_each_block(pool, a.rows, n, k, &|rows, cols| {
                    let (ars, acs, brs, bcs) = (a.row_stride as isize, a.col_stride as isize, b.row_stride as isize, b.col_stride as isize);
                    let one = 1.0 as $t;
                    // SAFETY: MatrixRef covers its slice, and `matmul` checked that the shapes fit and `c` holds the result, so
                    // every address that the strides reach lies in its slice. Blocks of `c` do not overlap.
                    unsafe {
                        let pa = a.data.as_ptr().add(rows.start * a.row_stride);
                        let pb = b.data.as_ptr().add(cols.start * b.col_stride);
                        let pc = c.as_mut_ptr().add(rows.start * n + cols.start);
                        let (m, cols, none) = (rows.len(), cols.len(), Parallelism::None);
                        if stands_upright(m, k, cols, brs == 1 && bcs != 1) {
                            gemm(
                                m, cols, k, pc, 1, n as isize, accumulate, pa, acs, ars, pb, bcs, brs, one, one, false, false, false, none,
                            );
                        } else {
                            gemm(
                                cols, m, k, pc, n as isize, 1, accumulate, pb, brs, bcs, pa, ars, acs, one, one, false, false, false, none,
                            );
                        }
                    }
                });
            }
        }
    };
}
fast_element!(f32, gemm_f32);
fast_element!(f64, gemm_f64);

/// The product of 16-bit matrices by way of f32.
fn wide_product<T: Floating<Wide = f32>>(pool: &dyn ParallelFor, a: MatrixRef<T>, b: MatrixRef<T>, c: &mut [T], accumulate: bool) {
    let widen = |m: &MatrixRef<T>| m.data.iter().map(|x| x.widen()).collect::<Vec<f32>>();
    let (a_data, b_data) = (widen(&a), widen(&b));
    let mut wide: Vec<f32> = if accumulate { c.iter().map(|x| x.widen()).collect() } else { vec![0.0; c.len()] };
    f32::product(pool, with_data(&a, &a_data), with_data(&b, &b_data), &mut wide, accumulate);
    for (c, &w) in c.iter_mut().zip(&wide) {
        *c = T::narrow(w);
    }
}

fn with_data<'a, T, U>(shape: &MatrixRef<'_, T>, data: &'a [U]) -> MatrixRef<'a, U> {
    let &MatrixRef { rows, cols, row_stride, col_stride, conjugate, .. } = shape;
    MatrixRef { data, rows, cols, row_stride, col_stride, conjugate }
}

macro_rules! wide_element {
    ($($t:ty)*) => {$(
        impl GemmElement for $t {
            fn product(pool: &dyn ParallelFor, a: MatrixRef<Self>, b: MatrixRef<Self>, c: &mut [Self], accumulate: bool) {
                wide_product(pool, a, b, c, accumulate);
            }
        }
    )*};
}
wide_element!(f16 bf16);

/// What the plain loop needs: wrapping multiply-add, and the conjugate.
trait Plain: Copy + Default + Send + Sync + 'static {
    fn multiply_add(self, factor: Self, sum: Self) -> Self;
    fn conjugate(self) -> Self;
}

/// Rows of `c` are sums of rows of `b`, which both are read and written in order.
fn plain_product<T: Plain>(pool: &dyn ParallelFor, a: MatrixRef<T>, b: MatrixRef<T>, c: &mut [T], accumulate: bool) {
    let (m, k, n) = (a.rows, a.cols, b.cols);
    let packed: Vec<T>;
    let b_rows = if b.col_stride == 1 && !b.conjugate {
        b.data
    } else {
        let at = |i: usize| b.data[i / n * b.row_stride + i % n * b.col_stride];
        packed = (0..k * n).map(|i| if b.conjugate { at(i).conjugate() } else { at(i) }).collect();
        &packed
    };
    for_each_part(pool, c, m, (TASK_WORK / 8).div_ceil((k * n).max(1)), &|rows, c| {
        vectorised((rows, a, b_rows, c, accumulate), plain_rows::<T>);
    });
}

#[inline(always)]
fn plain_rows<T: Plain>((rows, a, b, c, accumulate): (Range<usize>, MatrixRef<T>, &[T], &mut [T], bool)) {
    let n = b.len() / a.cols;
    for (i, c) in rows.zip(c.chunks_exact_mut(n)) {
        if !accumulate {
            c.fill(T::default());
        }
        for (l, b) in b.chunks_exact(n).enumerate() {
            let factor = a.data[i * a.row_stride + l * a.col_stride];
            let factor = if a.conjugate { factor.conjugate() } else { factor };
            for (c, &b) in c.iter_mut().zip(b) {
                *c = b.multiply_add(factor, *c);
            }
        }
    }
}

macro_rules! integer_element {
    ($($t:ty)*) => {$(
        impl Plain for $t {
            #[inline(always)]
            fn multiply_add(self, factor: Self, sum: Self) -> Self {
                self.wrapping_mul(factor).wrapping_add(sum)
            }
            #[inline(always)]
            fn conjugate(self) -> Self {
                self
            }
        }
        impl GemmElement for $t {
            fn product(pool: &dyn ParallelFor, a: MatrixRef<Self>, b: MatrixRef<Self>, c: &mut [Self], accumulate: bool) {
                plain_product(pool, a, b, c, accumulate);
            }
        }
    )*};
}
integer_element!(i8 i16 i32 i64 u8 u16 u32 u64);

macro_rules! complex_element {
    ($($t:ty)*) => {$(
        impl Plain for Complex<$t> {
            #[inline(always)]
            fn multiply_add(self, factor: Self, sum: Self) -> Self {
                self * factor + sum
            }
            #[inline(always)]
            fn conjugate(self) -> Self {
                self.conj()
            }
        }
        impl GemmElement for Complex<$t> {
            fn product(pool: &dyn ParallelFor, a: MatrixRef<Self>, b: MatrixRef<Self>, c: &mut [Self], accumulate: bool) {
                plain_product(pool, a, b, c, accumulate);
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

    /// The product by its definition, in f64.
    fn reference(m: usize, k: usize, n: usize, a: impl Fn(usize, usize) -> f64, b: impl Fn(usize, usize) -> f64) -> Vec<f64> {
        let mut c = vec![0.0; m * n];
        for i in 0..m {
            for j in 0..n {
                c[i * n + j] = (0..k).map(|l| a(i, l) * b(l, j)).sum();
            }
        }
        c
    }

    #[test]
    fn products_of_all_shapes_and_transposes_are_right() {
        let mut sample = Sample::new(3);
        let sizes = [
            (1, 1, 1),
            (1, 7, 5),
            (5, 7, 1),
            (1, 300, 1),
            (3, 1, 4),
            (32, 50, 10),
            (17, 33, 65),
            (130, 70, 200),
            (2, 600, 1100),
            (300, 40, 310),
        ];
        for (m, k, n) in sizes {
            let (a, b, c0) = (sample.f32s(m * k), sample.f32s(k * n), sample.f32s(m * n));
            for (ta, tb) in [(false, false), (true, false), (false, true), (true, true)] {
                let ar = if ta { MatrixRef::new(&a, k, m).transposed() } else { MatrixRef::new(&a, m, k) };
                let br = MatrixRef::new(&b, if tb { n } else { k }, if tb { k } else { n }).transposed_if(tb);
                let at = |i: usize, l: usize| f64::from(if ta { a[l * m + i] } else { a[i * k + l] });
                let bt = |l: usize, j: usize| f64::from(if tb { b[j * k + l] } else { b[l * n + j] });
                let expected = reference(m, k, n, at, bt);
                for pool in [&Inline as &dyn ParallelFor, &Threads(3)] {
                    let mut c = vec![f32::NAN; m * n];
                    matmul(pool, ar, br, &mut c, false);
                    for (c, e) in c.iter().zip(&expected) {
                        assert!((f64::from(*c) - e).abs() < 1e-5 * (k as f64).sqrt() + 1e-6, "{m}x{k}x{n} {ta} {tb}: {c} {e}");
                    }
                    let mut c = c0.clone();
                    matmul(pool, ar, br, &mut c, true);
                    for ((c, e), c0) in c.iter().zip(&expected).zip(&c0) {
                        assert!((f64::from(*c) - e - f64::from(*c0)).abs() < 1e-5 * (k as f64).sqrt() + 1e-6);
                    }
                }
            }
        }
    }

    #[test]
    fn double_half_integer_and_complex_products_are_right() {
        let (m, k, n) = (5, 9, 7);
        let mut sample = Sample::new(4);
        let ints: Vec<i64> = (0..m * k + k * n).map(|_| sample.below(7) as i64 - 3).collect();
        let (a, b) = ints.split_at(m * k);
        let expected = reference(m, k, n, |i, l| a[i * k + l] as f64, |l, j| b[l * n + j] as f64);
        fn check<T: GemmElement + PartialEq + std::fmt::Debug>(a: &[i64], b: &[i64], expected: &[f64], of: impl Fn(f64) -> T) {
            let (m, k, n) = (5, 9, 7);
            let to = |x: &[i64]| x.iter().map(|&x| of(x as f64)).collect::<Vec<T>>();
            let mut c = to(&vec![1; m * n]);
            matmul(&Threads(2), MatrixRef::new(&to(a), m, k), MatrixRef::new(&to(b), k, n), &mut c, true);
            assert_eq!(c, expected.iter().map(|&x| of(x + 1.0)).collect::<Vec<T>>());
            // The other way round: (b' a')' is the same product.
            let mut c = to(&vec![1; m * n]);
            matmul(&Inline, MatrixRef::new(&to(b), k, n).transposed(), MatrixRef::new(&to(a), m, k).transposed(), &mut c, false);
            let c: Vec<T> = (0..m * n).map(|i| c[i % n * m + i / n]).collect();
            assert_eq!(c, expected.iter().map(|&x| of(x)).collect::<Vec<T>>());
        }
        check(a, b, &expected, |x| x);
        check(a, b, &expected, f16::from_f64);
        check(a, b, &expected, bf16::from_f64);
        check(a, b, &expected, |x| x as i32);
        check(a, b, &expected, |x| x as i64);
        check(a, b, &expected, |x| Complex::new(x as f32, 0.0));
        check(a, b, &expected, |x| Complex::new(0.0, 0.0) + x);
    }

    #[test]
    fn the_adjoint_conjugates() {
        let a = [Complex::new(1.0f64, 2.0), Complex::new(0.0, -1.0)];
        let mut c = [Complex::default()];
        matmul(&Inline, MatrixRef::new(&a, 2, 1).adjoint(), MatrixRef::new(&a, 2, 1), &mut c, false);
        assert_eq!(c, [Complex::new(6.0, 0.0)]);
        matmul(&Inline, MatrixRef::new(&a, 1, 2), MatrixRef::new(&a, 1, 2).adjoint(), &mut c, false);
        assert_eq!(c, [Complex::new(6.0, 0.0)]);
    }

    #[test]
    fn empty_products_are_zero_and_integers_wrap() {
        let mut c = [5.0f32; 4];
        matmul(&Inline, MatrixRef::new(&[], 2, 0), MatrixRef::new(&[], 0, 2), &mut c, true);
        assert_eq!(c, [5.0; 4]);
        matmul(&Inline, MatrixRef::new(&[], 2, 0), MatrixRef::new(&[], 0, 2), &mut c, false);
        assert_eq!(c, [0.0; 4]);
        matmul(&Inline, MatrixRef::new(&[], 0, 3), MatrixRef::new(&[1.0f32; 6], 3, 2), &mut [], false);
        let mut c = [0i32];
        matmul(&Inline, MatrixRef::new(&[i32::MAX, 1], 1, 2), MatrixRef::new(&[2, 0], 2, 1), &mut c, false);
        assert_eq!(c, [-2]);
    }

    #[test]
    fn nan_and_infinity_spread() {
        let mut c = [0.0f32; 2];
        matmul(&Inline, MatrixRef::new(&[0.0, 1.0], 1, 2), MatrixRef::new(&[f32::NAN, 1.0, 2.0, f32::INFINITY], 2, 2), &mut c, false);
        assert!(c[0].is_nan());
        assert_eq!(c[1], f32::INFINITY);
    }

    #[test]
    fn a_batch_multiplies_the_pairs_it_is_given() {
        let a: Vec<f64> = (0..12).map(f64::from).collect();
        let b: Vec<f64> = (0..6).map(f64::from).collect();
        let mut c = vec![0.0; 8];
        batch_matmul(&Threads(2), &[(0, 0), (1, 0)], &|i| MatrixRef::new(&a[i * 6..][..6], 2, 3), &|_| MatrixRef::new(&b, 3, 2), &mut c);
        assert_eq!(c, [10.0, 13.0, 28.0, 40.0, 46.0, 67.0, 64.0, 94.0]);
    }
}
