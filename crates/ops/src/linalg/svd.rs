//! `Svd`: singular values and vectors of matrices.

use super::householder::{Householder, Number};
use super::matrices::{MATRIX_TYPES, Narrow, narrow, split, wide, with_matrix};
use crate::prelude::*;
use nalgebra::{DMatrix, Dyn, SVD};

pub const OP: OpSpec = OpSpec {
    signature: "Svd(input: T) -> (s: T, u: T, v: T)",
    attrs: "compute_uv: bool = true; full_matrices: bool = false; T: type in {double, float, half, complex64, complex128}",
    doc: "For each matrix its singular values, largest first, and if `compute_uv` u and v with u diag(s) v* the matrix (square if `full_matrices`).",
    shape,
    gradient: Gradient::Of(super::svd_gradient::backward),
    kernels: &[Kernel::cpu(compute).on("T", MATRIX_TYPES).heavy()],
    tolerance: Tolerance::Within(1e-4),
    ..WORDS
};

/// Steps that the iteration may take; it needs a few for each singular value.
const MOST_STEPS: usize = 100_000;

/// Singular values, largest first, and the singular vectors, row by row.
pub(super) struct Singular<F> {
    pub(super) values: Vec<f64>,
    /// `rows` by the number of values
    pub(super) u: Vec<F>,
    /// `columns` by the number of values
    pub(super) v: Vec<F>,
}

/// The singular values and vectors of a matrix; all NaN, as in TF, for one that is not finite.
pub(super) fn singular<F: Number>(a: &[F], rows: usize, columns: usize) -> Result<Singular<F>> {
    let inner = rows.min(columns);
    if !a.iter().all(|x| x.is_finite()) {
        let nan = |n: usize| vec![F::from_real(f64::NAN); n];
        return Ok(Singular { values: vec![f64::NAN; inner], u: nan(rows * inner), v: nan(columns * inner) });
    }
    if inner == 0 {
        return Ok(Singular { values: vec![], u: vec![], v: vec![] });
    }
    let matrix = DMatrix::from_row_slice(rows, columns, a);
    let found: Option<SVD<F, Dyn, Dyn>> = SVD::try_new(matrix, true, true, f64::EPSILON, MOST_STEPS);
    let (Some(u), Some(v), values) = (match found {
        Some(f) => (f.u, f.v_t, f.singular_values),
        None => return Err(invalid_argument("the singular values were not found")),
    }) else {
        return Err(internal("there are no singular vectors"));
    };
    let at = |m: &DMatrix<F>, r: usize, c: usize| m[(r, c)];
    let left = (0..rows * inner).map(|p| at(&u, p / inner, p % inner)).collect();
    let right = (0..columns * inner).map(|p| at(&v, p % inner, p / inner).conjugate()).collect();
    Ok(Singular { values: values.iter().copied().collect(), u: left, v: right })
}

/// `rows` by `have` orthonormal columns with as many more as make them square.
fn completed<F: Number>(columns: Vec<F>, rows: usize, have: usize) -> Vec<F> {
    let whole = Householder::of(columns.clone(), rows, have).q(rows);
    (0..rows * rows).map(|p| if p % rows < have { columns[p / rows * have + p % rows] } else { whole[p] }).collect()
}

fn decompose<T: Narrow>(x: &Tensor, vectors: bool, full: bool) -> Result<[Tensor; 3]>
where
    T::Wide: Number,
{
    let (outer, rows, columns) = split(x)?;
    let inner = rows.min(columns);
    let all = wide::<T>(x)?;
    let matrices = outer.iter().product::<i64>() as usize;
    let (mut s, mut u, mut v) = (Vec::new(), Vec::new(), Vec::new());
    let (width_u, width_v) = if full { (rows, columns) } else { (inner, inner) };
    let shape = |tail: &[usize]| Shape::new(&[outer, &tail.iter().map(|&d| d as i64).collect::<Vec<_>>()].concat());
    let (shape_u, shape_v) = match vectors {
        true => (shape(&[rows, width_u])?, shape(&[columns, width_v])?),
        // As in TF, whose shape function speaks of a vector without elements.
        false => (Shape::scalar(), Shape::scalar()),
    };
    for i in 0..matrices {
        let found = singular(&all[i * rows * columns..(i + 1) * rows * columns], rows, columns)?;
        s.extend(found.values.iter().map(|&x| <T::Wide as nalgebra::ComplexField>::from_real(x)));
        if vectors {
            u.extend(if full && rows > 0 { completed(found.u, rows, inner) } else { found.u });
            v.extend(if full && columns > 0 { completed(found.v, columns, inner) } else { found.v });
        }
    }
    if !vectors {
        (u, v) = (vec![<T::Wide as nalgebra::ComplexField>::from_real(0.0)], vec![<T::Wide as nalgebra::ComplexField>::from_real(0.0)]);
    }
    Ok([narrow::<T>(shape(&[inner])?, &s)?, narrow::<T>(shape_u, &u)?, narrow::<T>(shape_v, &v)?])
}

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let x = ctx.input(0)?;
    let (vectors, full) = (ctx.node.attrs.bool("compute_uv")?, ctx.node.attrs.bool("full_matrices")?);
    let out = with_matrix!(x.dtype() => T, { decompose::<T>(x, vectors, full)? }, else { return Err(unsupported("Svd", x.dtype())) });
    out.into_iter().enumerate().for_each(|(i, t)| ctx.set_output(i, t));
    Ok(())
}

fn shape(c: &mut ShapeContext) -> Result<()> {
    let attrs = &c.node().attrs;
    let (vectors, full) = (attrs.bool("compute_uv")?, attrs.bool("full_matrices")?);
    if let Some([outer @ .., rows, columns]) = c.with_rank_at_least(0, 2)?.dims() {
        let less = rows.zip(*columns).map(|(r, c)| r.min(c));
        c.set_output(0, PartialShape::new(&[outer, &[less]].concat()));
        for (i, side) in [(1, *rows), (2, *columns)] {
            let square = PartialShape::new(&[outer, &[side, if full { side } else { less }]].concat());
            c.set_output(i, if vectors { square } else { PartialShape::scalar() });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::matrices::tests::{dagger, product};
    use num_complex::Complex;

    #[test]
    fn the_factors_multiply_to_the_matrix() {
        type Z = Complex<f64>;
        let x: Vec<Z> = (0..12).map(|i| Z::new((i * i % 7) as f64 - 2.0, (i % 5) as f64)).collect();
        for (rows, columns) in [(4usize, 3usize), (3, 4), (2, 6), (12, 1)] {
            for full in [false, true] {
                let node = OpTester::new(&OP).input(tensor(&[rows as i64, columns as i64], &x)).attr("full_matrices", full);
                let out = node.run().unwrap();
                let (s, u, v) = (out[0].as_slice::<Z>().unwrap(), out[1].as_slice::<Z>().unwrap(), out[2].as_slice::<Z>().unwrap());
                let (wide_u, wide_v) = (out[1].dims()[1] as usize, out[2].dims()[1] as usize);
                let mut middle = vec![Z::default(); wide_u * wide_v];
                s.iter().enumerate().for_each(|(i, &s)| middle[i * wide_v + i] = s);
                let left = product(u, &middle, rows, wide_u, wide_v);
                let back = product(&left, &dagger(v, columns, wide_v), rows, wide_v, columns);
                assert!(back.iter().zip(&x).all(|(a, b)| (a - b).norm() < 1e-10), "{rows} {columns} {full}");
                let one = product(&dagger(u, rows, wide_u), u, wide_u, rows, wide_u);
                assert!(one.iter().enumerate().all(|(p, z)| (z - f64::from(u8::from(p / wide_u == p % wide_u))).norm() < 1e-10));
            }
        }
    }
}
