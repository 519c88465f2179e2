//! `MatrixSquareRoot`: matrices whose squares are the given ones.

use super::matrices::{MATRIX_TYPES, Narrow, narrow, square, wide, with_matrix};
use super::schur::{of_triangle, square_root};
use crate::prelude::*;
use num_complex::{Complex, ComplexFloat};

pub const OP: OpSpec = OpSpec {
    signature: "MatrixSquareRoot(input: T) -> (output: T)",
    attrs: "T: type in {double, float, half, complex64, complex128}",
    doc: "For each square matrix the one whose square it is and whose eigenvalues have no negative real part.",
    shape: super::matrices::square_shape,
    kernels: &[Kernel::cpu(compute).on("T", MATRIX_TYPES).heavy()],
    tolerance: Tolerance::Within(1e-4),
    ..WORDS
};

/// A number of a real or complex field, made of a complex one.
pub(super) trait FromComplex: ComplexFloat<Real = f64> {
    fn of(z: Complex<f64>) -> Self;
}

impl FromComplex for f64 {
    fn of(z: Complex<f64>) -> f64 {
        z.re
    }
}

impl FromComplex for Complex<f64> {
    fn of(z: Complex<f64>) -> Complex<f64> {
        z
    }
}

fn roots<T: Narrow>(x: &Tensor) -> Result<Tensor>
where
    T::Wide: FromComplex,
{
    let (_, n) = square(x)?;
    let all: Vec<Complex<f64>> = wide::<T>(x)?.iter().map(|z| Complex::new(z.re(), z.im())).collect();
    let mut out = Vec::with_capacity(all.len());
    for a in all.chunks_exact((n * n).max(1)) {
        out.extend(of_triangle(a, n, square_root)?.into_iter().map(T::Wide::of));
    }
    narrow::<T>(x.shape().clone(), &out)
}

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let x = ctx.input(0)?;
    let y = with_matrix!(x.dtype() => T, { roots::<T>(x)? }, else { return Err(unsupported("MatrixSquareRoot", x.dtype())) });
    ctx.set_output(0, y);
    Ok(())
}
