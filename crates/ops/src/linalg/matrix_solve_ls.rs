//! `MatrixSolveLs`: the best solution of equations that need not have one.

use super::householder::Number;
use super::matrices::{Field, MATRIX_TYPES, Narrow, cholesky, narrow, solve_triangle, split, wide};
use super::svd::singular;
use crate::prelude::*;
use num_complex::{Complex, ComplexFloat};

pub const OP: OpSpec = OpSpec {
    signature: "MatrixSolveLs(matrix: T, rhs: T, l2_regularizer: double) -> (output: T)",
    attrs: "T: type in {double, float, half, complex64, complex128}; fast: bool = true",
    doc: "The x of least |matrix x - rhs|² + l2_regularizer |x|² or, for fewer equations than unknowns, of least |x|; by Cholesky factors if `fast`, else by singular values and without regularizer.",
    shape,
    kernels: &[Kernel::cpu(compute).on("T", MATRIX_TYPES).heavy()],
    tolerance: Tolerance::Within(1e-3),
    ..WORDS
};

/// a b, of `m` by `k` and `k` by `n`.
fn product<F: Field>(a: &[F], b: &[F], m: usize, k: usize, n: usize) -> Vec<F> {
    let dot = |p: usize| (0..k).fold(F::real(0.0), |sum, i| sum + a[p / n * k + i] * b[i * n + p % n]);
    (0..m * n).map(dot).collect()
}

fn adjoint<F: Field>(a: &[F], rows: usize, columns: usize) -> Vec<F> {
    (0..rows * columns).map(|p| ComplexFloat::conj(a[p % rows * columns + p / rows])).collect()
}

/// The solution by the Cholesky factor of the smaller Gram matrix.
fn by_cholesky<F: Field>(a: &[F], b: &[F], [m, n, k]: [usize; 3], l2: f64) -> Result<Vec<F>> {
    let ah = adjoint(a, m, n);
    let s = m.min(n);
    let mut gram = if m >= n { product(&ah, a, n, m, n) } else { product(a, &ah, m, n, m) };
    (0..s).for_each(|i| gram[i * s + i] += F::real(l2));
    let l = cholesky(&gram, s);
    if !(0..s).all(|i| ComplexFloat::re(l[i * s + i]) > 0.0) {
        return Err(invalid_argument(
            "Input matrix was rank deficient or ill-conditioned. Try setting fast=False or provide a larger l2_regularizer > 0.",
        ));
    }
    let solve = |b: &[F]| {
        let y = solve_triangle(&l, s, true, b, k);
        solve_triangle(&adjoint(&l, s, s), s, false, &y, k)
    };
    Ok(if m >= n { solve(&product(&ah, b, n, m, k)) } else { product(&ah, &solve(b), n, m, k) })
}

/// The solution of least length by the singular values; those that rounding makes are taken for 0.
fn by_singular_values<F: Field + Number>(a: &[F], b: &[F], [m, n, k]: [usize; 3], unit: f64) -> Result<Vec<F>> {
    let found = singular(a, m, n)?;
    let inner = m.min(n);
    let least = found.values.first().map_or(0.0, |s| s * unit * m.max(n) as f64);
    let mut y = product(&adjoint(&found.u, m, inner), b, inner, m, k);
    for (i, s) in found.values.iter().enumerate() {
        let factor = <F as Field>::real(if *s > least { 1.0 / s } else { 0.0 });
        y[i * k..(i + 1) * k].iter_mut().for_each(|y| *y *= factor);
    }
    Ok(product(&found.v, &y, n, inner, k))
}

fn solve<T: Narrow>(x: &Tensor, rhs: &Tensor, l2: f64, fast: bool, unit: f64) -> Result<Tensor>
where
    T::Wide: Number,
{
    let ((outer, m, n), (outer_rhs, rows, k)) = (split(x)?, split(rhs)?);
    if outer != outer_rhs || rows != m {
        return Err(invalid_argument(format!("Input matrix and rhs are incompatible: {} and {}", x.shape(), rhs.shape())));
    }
    let shape = Shape::new(&[outer, &[n as i64, k as i64]].concat())?;
    let (all, b) = (wide::<T>(x)?, wide::<T>(rhs)?);
    let mut out = Vec::new();
    for i in 0..outer.iter().product::<i64>() as usize {
        let (a, b) = (&all[i * m * n..(i + 1) * m * n], &b[i * m * k..(i + 1) * m * k]);
        if m == 0 || n == 0 || k == 0 {
            out.resize(out.len() + n * k, <T::Wide as Field>::real(0.0));
        } else if fast {
            out.extend(by_cholesky(a, b, [m, n, k], l2)?);
        } else {
            out.extend(by_singular_values(a, b, [m, n, k], unit)?);
        }
    }
    narrow::<T>(shape, &out)
}

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let (x, rhs) = (ctx.input(0)?, ctx.input(1)?);
    let (l2, fast) = (ctx.scalar::<f64>(2, "l2_regularizer")?, ctx.node.attrs.bool("fast")?);
    if l2 < 0.0 || l2.is_nan() {
        return Err(invalid_argument(format!("l2_regularizer must be >= 0, got {l2}")));
    }
    let single = f64::from(f32::EPSILON);
    let y = match x.dtype() {
        DType::Half => solve::<half::f16>(x, rhs, l2, fast, 1e-3)?,
        DType::Float => solve::<f32>(x, rhs, l2, fast, single)?,
        DType::Double => solve::<f64>(x, rhs, l2, fast, f64::EPSILON)?,
        DType::Complex64 => solve::<Complex<f32>>(x, rhs, l2, fast, single)?,
        _ => solve::<Complex<f64>>(x, rhs, l2, fast, f64::EPSILON)?,
    };
    ctx.set_output(0, y);
    Ok(())
}

fn shape(c: &mut ShapeContext) -> Result<()> {
    let (x, rhs) = (c.with_rank_at_least(0, 2)?, c.with_rank_at_least(1, 2)?);
    if let (Some([outer @ .., _, n]), Some([.., k])) = (x.dims(), rhs.dims()) {
        c.set_output(0, PartialShape::new(&[outer, &[*n, *k]].concat()));
    }
    Ok(())
}
