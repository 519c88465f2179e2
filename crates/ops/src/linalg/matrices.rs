//! Batches of square matrices in double precision, their factors and what follows from them (TF: `LinearAlgebraOp`).

use crate::prelude::*;
use ferroflow_tensor::Element;
use num_complex::{Complex, ComplexFloat};
use std::ops::{AddAssign, DivAssign, MulAssign, SubAssign};

/// A number that is calculated with: double or complex128.
pub(super) trait Field:
    ComplexFloat<Real = f64> + AddAssign + SubAssign + MulAssign + DivAssign + Copy + Send + Sync + 'static
{
    /// A real number.
    fn real(x: f64) -> Self;
}

impl Field for f64 {
    fn real(x: f64) -> f64 {
        x
    }
}

impl Field for Complex<f64> {
    fn real(x: f64) -> Complex<f64> {
        Complex::new(x, 0.0)
    }
}

/// An element, and the field that it is calculated with in.
pub(super) trait Narrow: Element {
    type Wide: Field;
    fn widen(self) -> Self::Wide;
    fn narrow(x: Self::Wide) -> Self;
}

macro_rules! narrow {
    ($($ty:ty, $wide:ty, $x:ident => $widen:expr, $y:ident => $narrow:expr;)*) => {
        $(impl Narrow for $ty {
            type Wide = $wide;
            fn widen(self) -> $wide {
                let $x = self;
                $widen
            }
            fn narrow($y: $wide) -> $ty {
                $narrow
            }
        })*
    };
}

narrow! {
    half::f16, f64, x => x.to_f64(), y => half::f16::from_f64(y);
    f32, f64, x => f64::from(x), y => y as f32;
    f64, f64, x => x, y => y;
    Complex<f32>, Complex<f64>, x => Complex::new(f64::from(x.re), f64::from(x.im)), y => Complex::new(y.re as f32, y.im as f32);
    Complex<f64>, Complex<f64>, x => x, y => y;
}

/// The types of matrices.
pub(super) const MATRIX_TYPES: &[DType] = &[DType::Half, DType::Float, DType::Double, DType::Complex64, DType::Complex128];

/// `with_matrix!(dtype => T, { body::<T>() }, else { other })` for [`MATRIX_TYPES`].
macro_rules! with_matrix {
    ($dtype:expr => $t:ident, $body:block, else $other:block) => {
        ferroflow_tensor::dispatch!($dtype, [half::f16, f32, f64, num_complex::Complex<f32>, num_complex::Complex<f64>] => $t, $body, else $other)
    };
}
pub(super) use with_matrix;

/// The dimensions in front of the last two, and these.
///
/// Errors: `InvalidArgument` for fewer than two dimensions.
pub(super) fn split(t: &Tensor) -> Result<(&[i64], usize, usize)> {
    match t.dims() {
        [outer @ .., rows, columns] => Ok((outer, *rows as usize, *columns as usize)),
        _ => Err(invalid_argument(format!("Input tensor must have rank >= 2, got {}", t.rank()))),
    }
}

/// The dimensions in front of square matrices, and their size.
///
/// Errors: `InvalidArgument` if they are not square.
pub(super) fn square(t: &Tensor) -> Result<(&[i64], usize)> {
    match split(t)? {
        (outer, rows, columns) if rows == columns => Ok((outer, rows)),
        _ => Err(invalid_argument(format!("Input matrix must be square, got {}", t.shape()))),
    }
}

/// The elements of a tensor, wide.
///
/// Errors: `InvalidArgument` for another type.
pub(super) fn wide<T: Narrow>(t: &Tensor) -> Result<Vec<T::Wide>> {
    Ok(t.as_slice::<T>()?.iter().map(|x| x.widen()).collect())
}

/// A tensor of these elements.
///
/// Errors: `ResourceExhausted` without memory.
pub(super) fn narrow<T: Narrow>(shape: Shape, values: &[T::Wide]) -> Result<Tensor> {
    Tensor::from_slice(shape, &values.iter().map(|&x| T::narrow(x)).collect::<Vec<T>>())
}

/// The conjugate transpose of an `n` by `n` matrix.
pub(super) fn adjoint<F: Field>(a: &[F], n: usize) -> Vec<F> {
    (0..n * n).map(|p| a[p % n * n + p / n].conj()).collect()
}

/// A matrix as a product of triangles, after its rows have changed places.
pub(super) struct Lu<F> {
    factors: Vec<F>,
    rows: Vec<usize>,
    is_odd: bool,
    n: usize,
}

impl<F: Field> Lu<F> {
    /// The factors of an `n` by `n` matrix; the largest element of each column leads.
    pub(super) fn of(mut a: Vec<F>, n: usize) -> Lu<F> {
        let mut rows: Vec<usize> = (0..n).collect();
        let mut is_odd = false;
        for k in 0..n {
            let lead = (k..n).fold(k, |best, i| if a[i * n + k].abs() > a[best * n + k].abs() { i } else { best });
            if lead != k {
                (0..n).for_each(|j| a.swap(lead * n + j, k * n + j));
                rows.swap(lead, k);
                is_odd = !is_odd;
            }
            let pivot = a[k * n + k];
            if pivot.abs() == 0.0 {
                continue;
            }
            for i in k + 1..n {
                let factor = a[i * n + k] / pivot;
                a[i * n + k] = factor;
                for j in k + 1..n {
                    let below = a[k * n + j];
                    a[i * n + j] -= factor * below;
                }
            }
        }
        Lu { factors: a, rows, is_odd, n }
    }

    /// Both triangles in one matrix, and which row of the input each row comes from.
    pub(super) fn into_parts(self) -> (Vec<F>, Vec<usize>) {
        (self.factors, self.rows)
    }

    fn pivots(&self) -> impl Iterator<Item = F> + '_ {
        (0..self.n).map(|k| self.factors[k * self.n + k])
    }

    /// Whether the matrix has no inverse.
    pub(super) fn is_singular(&self) -> bool {
        self.pivots().any(|p| p.abs() == 0.0)
    }

    /// The determinant.
    pub(super) fn determinant(&self) -> F {
        let sign = F::real(if self.is_odd { -1.0 } else { 1.0 });
        self.pivots().fold(sign, |d, p| d * p)
    }

    /// The determinant's sign, a number of magnitude 1, and the logarithm of its magnitude.
    pub(super) fn log_determinant(&self) -> (F, f64) {
        let sign = F::real(if self.is_odd { -1.0 } else { 1.0 });
        if self.is_singular() {
            return (F::real(0.0), f64::NEG_INFINITY);
        }
        self.pivots().fold((sign, 0.0), |(s, log), p| (s * p / F::real(p.abs()), log + p.abs().ln()))
    }

    /// The solution of matrix · x = b for `k` columns.
    pub(super) fn solve(&self, b: &[F], k: usize) -> Vec<F> {
        let n = self.n;
        let mut x: Vec<F> = self.rows.iter().flat_map(|&r| &b[r * k..(r + 1) * k]).copied().collect();
        for i in 0..n {
            for j in 0..i {
                eliminate(&mut x, k, i, j, self.factors[i * n + j]);
            }
        }
        for i in (0..n).rev() {
            for j in i + 1..n {
                eliminate(&mut x, k, i, j, self.factors[i * n + j]);
            }
            x[i * k..(i + 1) * k].iter_mut().for_each(|v| *v /= self.factors[i * n + i]);
        }
        x
    }
}

/// Row `i` less `factor` times row `j`.
fn eliminate<F: Field>(x: &mut [F], k: usize, i: usize, j: usize, factor: F) {
    for c in 0..k {
        let other = x[j * k + c];
        x[i * k + c] -= factor * other;
    }
}

/// The solution of triangle · x = b for `k` columns. As in TF it is not finite where an element of the diagonal is 0.
pub(super) fn solve_triangle<F: Field>(a: &[F], n: usize, lower: bool, b: &[F], k: usize) -> Vec<F> {
    let mut x = b.to_vec();
    let order: Vec<usize> = if lower { (0..n).collect() } else { (0..n).rev().collect() };
    for (done, &i) in order.iter().enumerate() {
        for &j in &order[..done] {
            eliminate(&mut x, k, i, j, a[i * n + j]);
        }
        let lead = a[i * n + i];
        x[i * k..(i + 1) * k].iter_mut().for_each(|v| *v /= lead);
    }
    x
}

/// The lower triangle whose product with its adjoint is the matrix, of which the lower triangle is looked at. As in TF it
/// holds no numbers if there is none.
pub(super) fn cholesky<F: Field>(a: &[F], n: usize) -> Vec<F> {
    let mut l = vec![F::real(0.0); n * n];
    for i in 0..n {
        for j in 0..=i {
            let sum = (0..j).fold(a[i * n + j], |s, k| s - l[i * n + k] * l[j * n + k].conj());
            l[i * n + j] = if i == j {
                let square = sum.re();
                F::real(if square > 0.0 { square.sqrt() } else { f64::NAN })
            } else {
                sum / l[j * n + j]
            };
        }
    }
    if (0..n).any(|i| l[i * n + i].re().is_nan()) {
        (0..n * n).filter(|p| p % n <= p / n).for_each(|p| l[p] = F::real(f64::NAN));
    }
    l
}

/// Square matrices keep their shape.
///
/// Errors: `InvalidArgument` if they cannot be square.
pub(super) fn square_shape(c: &mut ShapeContext) -> Result<()> {
    let s = c.with_rank_at_least(0, 2)?;
    if let Some([.., Some(rows), Some(columns)]) = s.dims()
        && rows != columns
    {
        return Err(invalid_argument(format!("Dimensions must be equal, but are {rows} and {columns}")));
    }
    c.set_output(0, s);
    Ok(())
}

/// The solution of equations has the shape of the right-hand side.
///
/// Errors: `InvalidArgument` if the matrices cannot be square.
pub(super) fn solution_shape(c: &mut ShapeContext) -> Result<()> {
    square_shape(c)?;
    let rhs = c.with_rank_at_least(1, 2)?;
    c.set_output(0, rhs);
    Ok(())
}

#[cfg(test)]
pub(super) mod tests {
    use num_complex::Complex;

    type Z = Complex<f64>;

    /// a b, of `m` by `k` and `k` by `n`.
    pub(crate) fn product(a: &[Z], b: &[Z], m: usize, k: usize, n: usize) -> Vec<Z> {
        (0..m * n).map(|p| (0..k).map(|i| a[p / n * k + i] * b[i * n + p % n]).sum()).collect()
    }

    /// The adjoint.
    pub(crate) fn dagger(a: &[Z], rows: usize, columns: usize) -> Vec<Z> {
        (0..rows * columns).map(|p| a[p % rows * columns + p / rows].conj()).collect()
    }
}
