//! `SelfAdjointEigV2`: eigenvalues and eigenvectors of self-adjoint matrices.

use super::householder::Number;
use super::matrices::{MATRIX_TYPES, Narrow, narrow, square, wide, with_matrix};
use crate::prelude::*;
use nalgebra::{DMatrix, SymmetricEigen};

pub const OP: OpSpec = OpSpec {
    signature: "SelfAdjointEigV2(input: T) -> (e: T, v: T)",
    attrs: "compute_v: bool = true; T: type in {double, float, half, complex64, complex128}",
    doc: "The eigenvalues of each self-adjoint matrix, smallest first, and if `compute_v` the eigenvectors as columns; only the lower triangle is looked at.",
    shape,
    gradient: Gradient::Of(super::self_adjoint_eig_v2_gradient::backward),
    kernels: &[Kernel::cpu(compute).on("T", MATRIX_TYPES).heavy()],
    tolerance: Tolerance::Within(1e-4),
    ..WORDS
};

/// Steps that the iteration may take; it needs a few for each eigenvalue.
const MOST_STEPS: usize = 100_000;

/// The eigenvalues, smallest first, and the eigenvectors row by row.
pub(super) fn eigen<F: Number>(a: &[F], n: usize) -> Result<(Vec<f64>, Vec<F>)> {
    let refused = || invalid_argument("Self-adjoint eigen decomposition was not successful. The input might not be valid.");
    let lower = |p: usize| if p % n <= p / n { a[p] } else { a[p % n * n + p / n].conjugate() };
    let full: Vec<F> = (0..n * n).map(|p| if p / n == p % n { F::from_real(a[p].real()) } else { lower(p) }).collect();
    if !full.iter().all(|x| x.is_finite()) {
        return Err(refused());
    }
    if n == 0 {
        return Ok((vec![], vec![]));
    }
    let found = SymmetricEigen::try_new(DMatrix::from_row_slice(n, n, &full), f64::EPSILON, MOST_STEPS).ok_or_else(refused)?;
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|&i, &j| found.eigenvalues[i].total_cmp(&found.eigenvalues[j]));
    let vectors = (0..n * n).map(|p| found.eigenvectors[(p / n, order[p % n])]).collect();
    Ok((order.iter().map(|&i| found.eigenvalues[i]).collect(), vectors))
}

fn decompose<T: Narrow>(x: &Tensor, vectors: bool) -> Result<[Tensor; 2]>
where
    T::Wide: Number,
{
    let (outer, n) = square(x)?;
    let all = wide::<T>(x)?;
    let (mut e, mut v) = (Vec::new(), Vec::new());
    for a in all.chunks_exact((n * n).max(1)) {
        let (values, columns) = eigen(a, n)?;
        e.extend(values.iter().map(|&x| <T::Wide as nalgebra::ComplexField>::from_real(x)));
        if vectors {
            v.extend(columns);
        }
    }
    if !vectors {
        // As in TF, whose shape function speaks of a vector without elements.
        v.push(<T::Wide as nalgebra::ComplexField>::from_real(0.0));
    }
    let shape_e = Shape::new(&[outer, &[n as i64]].concat())?;
    Ok([narrow::<T>(shape_e, &e)?, narrow::<T>(if vectors { x.shape().clone() } else { Shape::scalar() }, &v)?])
}

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let x = ctx.input(0)?;
    let vectors = ctx.node.attrs.bool("compute_v")?;
    let [e, v] =
        with_matrix!(x.dtype() => T, { decompose::<T>(x, vectors)? }, else { return Err(unsupported("SelfAdjointEigV2", x.dtype())) });
    ctx.set_output(0, e);
    ctx.set_output(1, v);
    Ok(())
}

fn shape(c: &mut ShapeContext) -> Result<()> {
    let vectors = c.node().attrs.bool("compute_v")?;
    super::matrices::square_shape(c)?;
    let s = c.input(0);
    if let Some([outer @ .., side, other]) = s.dims() {
        c.set_output(0, PartialShape::new(&[outer, &[side.or(*other)]].concat()));
    } else {
        c.set_output(0, PartialShape::unknown());
    }
    c.set_output(1, if vectors { s } else { PartialShape::scalar() });
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::matrices::tests::{dagger, product};
    use num_complex::Complex;

    #[test]
    fn eigenvectors_and_values_make_the_matrix() {
        type Z = Complex<f64>;
        let n = 4;
        let half: Vec<Z> = (0..16).map(|i| Z::new((i * i % 7) as f64 - 2.0, (i % 5) as f64)).collect();
        let x: Vec<Z> = half.iter().zip(dagger(&half, n, n)).map(|(a, b)| a + b).collect();
        let out = OpTester::new(&OP).input(tensor(&[4, 4], &x)).run().unwrap();
        let (e, v) = (out[0].as_slice::<Z>().unwrap(), out[1].as_slice::<Z>().unwrap());
        assert!(e.windows(2).all(|w| w[0].re <= w[1].re));
        let scaled: Vec<Z> = v.iter().enumerate().map(|(p, z)| z * e[p % n]).collect();
        let back = product(&scaled, &dagger(v, n, n), n, n, n);
        assert!(back.iter().zip(&x).all(|(a, b)| (a - b).norm() < 1e-10));
    }

    #[test]
    fn what_is_not_finite_has_no_eigenvalues() {
        let e = OpTester::new(&OP).input(tensor(&[1, 1], &[f32::NAN])).run().unwrap_err();
        assert_eq!(e.code(), Code::InvalidArgument);
    }
}
