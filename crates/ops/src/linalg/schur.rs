//! Functions of matrices by their Schur form: a unitary change of basis makes the matrix a triangle (TF: `MatrixSquareRoot`, `MatrixLogarithm` of Eigen).

use crate::prelude::*;
use nalgebra::{DMatrix, Schur};
use num_complex::Complex;

type Z = Complex<f64>;

/// Steps that the iteration may take; it needs a few for each eigenvalue.
const MOST_STEPS: usize = 100_000;

/// f of an `n` by `n` matrix, by f of the triangle of its Schur form.
///
/// Errors: `InvalidArgument` if there is no Schur form.
pub(super) fn of_triangle(a: &[Z], n: usize, f: impl Fn(DMatrix<Z>) -> DMatrix<Z>) -> Result<Vec<Z>> {
    if n == 0 {
        return Ok(vec![]);
    }
    if !a.iter().all(|z| z.is_finite()) {
        return Err(invalid_argument("the matrix has elements that are not finite"));
    }
    let found = Schur::try_new(DMatrix::from_row_slice(n, n, a), f64::EPSILON, MOST_STEPS);
    let (basis, triangle) = found.ok_or_else(|| invalid_argument("the Schur form of the matrix was not found"))?.unpack();
    let value = &basis * f(triangle) * basis.adjoint();
    Ok((0..n * n).map(|p| value[(p / n, p % n)]).collect())
}

/// The square root of an upper triangle, column by column.
pub(super) fn square_root(t: DMatrix<Z>) -> DMatrix<Z> {
    let n = t.nrows();
    let mut root = DMatrix::<Z>::zeros(n, n);
    for j in 0..n {
        root[(j, j)] = t[(j, j)].sqrt();
        for i in (0..j).rev() {
            let sum: Z = (i + 1..j).map(|k| root[(i, k)] * root[(k, j)]).sum();
            let rest = t[(i, j)] - sum;
            // Of two equal zeros on the diagonal nothing need be divided.
            root[(i, j)] = if rest == Z::default() { rest } else { rest / (root[(i, i)] + root[(j, j)]) };
        }
    }
    root
}

/// The logarithm of an upper triangle: of a root of it near 1, by 2 artanh((root - 1) / (root + 1)), times the root's degree.
pub(super) fn logarithm(mut t: DMatrix<Z>) -> DMatrix<Z> {
    const NEAR: f64 = 0.1;
    const MOST_ROOTS: usize = 100;
    const TERMS: usize = 8;
    let n = t.nrows();
    let one = DMatrix::<Z>::identity(n, n);
    let diagonal: Vec<Z> = (0..n).map(|i| t[(i, i)].ln()).collect();
    let mut degree = 1.0;
    for _ in 0..MOST_ROOTS {
        let distance = (&t - &one).norm();
        if distance <= NEAR || distance.is_nan() {
            break;
        }
        t = square_root(t);
        degree *= 2.0;
    }
    let nan = || DMatrix::from_element(n, n, Z::new(f64::NAN, f64::NAN));
    let Some(quotient) = (&t + &one).solve_upper_triangular(&(&t - &one)) else { return nan() };
    let square = &quotient * &quotient;
    let (mut power, mut sum) = (quotient.clone(), quotient);
    for term in 1..TERMS {
        power = &power * &square;
        sum += &power * Z::from(1.0 / (2 * term + 1) as f64);
    }
    let mut log = sum * Z::from(2.0 * degree);
    diagonal.into_iter().enumerate().for_each(|(i, z)| log[(i, i)] = z);
    log
}
