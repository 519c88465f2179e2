//! `MatrixLogarithm`: matrices whose exponentials are the given ones.

use super::matrices::{Narrow, narrow, square, wide};
use super::schur::{logarithm, of_triangle};
use crate::prelude::*;
use num_complex::Complex;

pub const OP: OpSpec = OpSpec {
    signature: "MatrixLogarithm(input: T) -> (output: T)",
    attrs: "T: type in {complex64, complex128}",
    doc: "For each square matrix the principal one whose exponential it is.",
    shape: super::matrices::square_shape,
    kernels: &[Kernel::cpu(compute).on("T", COMPLEX).heavy()],
    tolerance: Tolerance::Within(1e-4),
    ..WORDS
};

fn logarithms<T: Narrow<Wide = Complex<f64>>>(x: &Tensor) -> Result<Tensor> {
    let (_, n) = square(x)?;
    let all = wide::<T>(x)?;
    let mut out = Vec::with_capacity(all.len());
    for a in all.chunks_exact((n * n).max(1)) {
        out.extend(of_triangle(a, n, logarithm)?);
    }
    narrow::<T>(x.shape().clone(), &out)
}

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let x = ctx.input(0)?;
    let y = match x.dtype() {
        DType::Complex64 => logarithms::<Complex<f32>>(x)?,
        _ => logarithms::<Complex<f64>>(x)?,
    };
    ctx.set_output(0, y);
    Ok(())
}
