//! The innermost loops of reductions: a row, or many rows at once, to one value each. Several accumulators side by side, and sums of
//! short blocks, keep rounding errors small and let the compiler vectorise without reordering anything.

use half::{bf16, f16};
use num_complex::Complex;
use num_traits::{Float, One, Zero};

/// An element type of reductions and the type it is accumulated in.
pub(crate) trait Accumulate: Copy + Send + Sync + 'static {
    /// The type of the accumulator: f32 for 16-bit floats.
    type Acc: Accumulate<Acc = Self::Acc> + Default;
    fn load(self) -> Self::Acc;
    fn store(acc: Self::Acc) -> Self;
    fn empty_sum() -> Self::Acc;
    fn empty_product() -> Self::Acc;
    /// Not above any value.
    fn lowest() -> Self::Acc;
    /// Not below any value.
    fn highest() -> Self::Acc;
    fn add(a: Self::Acc, b: Self::Acc) -> Self::Acc;
    fn multiply(a: Self::Acc, b: Self::Acc) -> Self::Acc;
    /// NaN if either is.
    fn larger(a: Self::Acc, b: Self::Acc) -> Self::Acc;
    /// NaN if either is.
    fn smaller(a: Self::Acc, b: Self::Acc) -> Self::Acc;
    /// |a|², as an accumulator.
    fn square(a: Self::Acc) -> Self::Acc;
    fn root(a: Self::Acc) -> Self::Acc;
    fn divide(a: Self::Acc, count: usize) -> Self::Acc;
}

macro_rules! floating {
    ($($t:ty, $acc:ty, $load:expr, $store:expr;)*) => {$(
        impl Accumulate for $t {
            type Acc = $acc;
            #[inline(always)]
            fn load(self) -> $acc { $load(self) }
            #[inline(always)]
            fn store(acc: $acc) -> $t { $store(acc) }
            #[inline(always)]
            fn empty_sum() -> $acc { 0.0 }
            #[inline(always)]
            fn empty_product() -> $acc { 1.0 }
            #[inline(always)]
            fn lowest() -> $acc { <$acc>::NEG_INFINITY }
            #[inline(always)]
            fn highest() -> $acc { <$acc>::INFINITY }
            #[inline(always)]
            fn add(a: $acc, b: $acc) -> $acc { a + b }
            #[inline(always)]
            fn multiply(a: $acc, b: $acc) -> $acc { a * b }
            #[inline(always)]
            fn larger(a: $acc, b: $acc) -> $acc { if a > b || a.is_nan() { a } else { b } }
            #[inline(always)]
            fn smaller(a: $acc, b: $acc) -> $acc { if a < b || a.is_nan() { a } else { b } }
            #[inline(always)]
            fn square(a: $acc) -> $acc { a * a }
            fn root(a: $acc) -> $acc { a.sqrt() }
            fn divide(a: $acc, count: usize) -> $acc { (f64::from(a) / count as f64) as $acc }
        }
    )*};
}
floating! {
    f32, f32, |x| x, |x| x;
    f64, f64, |x| x, |x| x;
    f16, f32, f16::to_f32, f16::from_f32;
    bf16, f32, bf16::to_f32, bf16::from_f32;
}

macro_rules! integer {
    ($($t:ty)*) => {$(
        impl Accumulate for $t {
            type Acc = $t;
            #[inline(always)]
            fn load(self) -> $t { self }
            #[inline(always)]
            fn store(acc: $t) -> $t { acc }
            #[inline(always)]
            fn empty_sum() -> $t { 0 }
            #[inline(always)]
            fn empty_product() -> $t { 1 }
            #[inline(always)]
            fn lowest() -> $t { <$t>::MIN }
            #[inline(always)]
            fn highest() -> $t { <$t>::MAX }
            #[inline(always)]
            fn add(a: $t, b: $t) -> $t { a.wrapping_add(b) }
            #[inline(always)]
            fn multiply(a: $t, b: $t) -> $t { a.wrapping_mul(b) }
            #[inline(always)]
            fn larger(a: $t, b: $t) -> $t { a.max(b) }
            #[inline(always)]
            fn smaller(a: $t, b: $t) -> $t { a.min(b) }
            #[inline(always)]
            fn square(a: $t) -> $t { a.wrapping_mul(a) }
            fn root(a: $t) -> $t { (a as f64).sqrt() as $t }
            // The count is cut to the type as the sum is; a count of 0 there gives 0.
            fn divide(a: $t, count: usize) -> $t { a.checked_div(count as $t).unwrap_or(0) }
        }
    )*};
}
integer!(i8 i16 i32 i64 u8 u16 u32 u64);

macro_rules! complex {
    ($($r:ty)*) => {$(
        impl Accumulate for Complex<$r> {
            type Acc = Complex<$r>;
            #[inline(always)]
            fn load(self) -> Self { self }
            #[inline(always)]
            fn store(acc: Self) -> Self { acc }
            #[inline(always)]
            fn empty_sum() -> Self { Zero::zero() }
            #[inline(always)]
            fn empty_product() -> Self { One::one() }
            fn lowest() -> Self { Complex::new(<$r>::nan(), <$r>::nan()) }
            fn highest() -> Self { Complex::new(<$r>::nan(), <$r>::nan()) }
            #[inline(always)]
            fn add(a: Self, b: Self) -> Self { a + b }
            #[inline(always)]
            fn multiply(a: Self, b: Self) -> Self { a * b }
            // Complex numbers have no order; `reduce` refuses before it comes here.
            fn larger(a: Self, _: Self) -> Self { a }
            fn smaller(a: Self, _: Self) -> Self { a }
            #[inline(always)]
            fn square(a: Self) -> Self { Complex::new(a.norm_sqr(), 0.0) }
            fn root(a: Self) -> Self { a.sqrt() }
            fn divide(a: Self, count: usize) -> Self { a / (count as $r) }
        }
    )*};
}
complex!(f32 f64);

/// How the elements of a reduction come together.
pub(crate) trait Fold<T: Accumulate>: Copy + Send + Sync {
    fn start(self) -> T::Acc;
    /// Applied to each element before it joins.
    fn lift(self, x: T::Acc) -> T::Acc;
    fn join(self, a: T::Acc, b: T::Acc) -> T::Acc;
}

macro_rules! fold {
    ($($(#[$doc:meta])* $name:ident: $start:ident, $join:ident, $lift:expr;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy)]
        pub(crate) struct $name;

        impl<T: Accumulate> Fold<T> for $name {
            #[inline(always)]
            fn start(self) -> T::Acc { T::$start() }
            #[inline(always)]
            fn lift(self, x: T::Acc) -> T::Acc {
                let lift: fn(T::Acc) -> T::Acc = $lift;
                lift(x)
            }
            #[inline(always)]
            fn join(self, a: T::Acc, b: T::Acc) -> T::Acc { T::$join(a, b) }
        }
    )*};
}
fold! {
    /// a + b
    Sum: empty_sum, add, |x| x;
    /// |a|² + |b|²
    SquareSum: empty_sum, add, T::square;
    /// a b
    Product: empty_product, multiply, |x| x;
    /// The larger one.
    Largest: lowest, larger, |x| x;
    /// The smaller one.
    Smallest: highest, smaller, |x| x;
}

/// Accumulators side by side in one row.
const LANES: usize = 32;
/// Elements (of a row) or rows that are summed before they join the running sum.
const BLOCK: usize = 1024;
/// Columns that are accumulated together.
const TILE: usize = 128;

/// All elements of `x` to one.
#[inline(always)]
pub(crate) fn fold_row<T: Accumulate, F: Fold<T>>(x: &[T], fold: F) -> T::Acc {
    let mut total = fold.start();
    for block in x.chunks(BLOCK) {
        let lanes = block.chunks_exact(LANES);
        let mut tail = fold.start();
        for &x in lanes.remainder() {
            tail = fold.join(tail, fold.lift(x.load()));
        }
        if block.len() >= LANES {
            let mut acc = [fold.start(); LANES];
            for chunk in lanes {
                for (acc, &x) in acc.iter_mut().zip(chunk) {
                    *acc = fold.join(*acc, fold.lift(x.load()));
                }
            }
            let mut width = LANES / 2;
            while width > 0 {
                for i in 0..width {
                    acc[i] = fold.join(acc[i], acc[i + width]);
                }
                width /= 2;
            }
            tail = fold.join(acc[0], tail);
        }
        total = fold.join(total, tail);
    }
    total
}

/// Rows of `out.len()` elements each, to one row; `out` is overwritten.
#[inline(always)]
pub(crate) fn fold_rows<T: Accumulate, F: Fold<T>>((x, out, fold): (&[T], &mut [T::Acc], F)) {
    let width = out.len();
    if width == 1 {
        out[0] = fold_row(x, fold);
        return;
    }
    out.fill(fold.start());
    if width == 0 {
        return;
    }
    for (tile, out) in out.chunks_mut(TILE).enumerate() {
        for block in x.chunks(width * (BLOCK / 4)) {
            let mut acc = [fold.start(); TILE];
            let acc = &mut acc[..out.len()];
            for row in block.chunks_exact(width) {
                for (acc, &x) in acc.iter_mut().zip(&row[tile * TILE..]) {
                    *acc = fold.join(*acc, fold.lift(x.load()));
                }
            }
            for (out, &acc) in out.iter_mut().zip(&*acc) {
                *out = fold.join(*out, acc);
            }
        }
    }
}
