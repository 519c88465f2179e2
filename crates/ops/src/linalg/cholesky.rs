//! `Cholesky`: Cholesky factors of matrices.

use super::matrices::{MATRIX_TYPES, Narrow, cholesky, narrow, square, wide, with_matrix};
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "Cholesky(input: T) -> (output: T)",
    attrs: "T: type in {double, float, half, complex64, complex128}",
    doc: "The lower triangle whose product with its adjoint is the matrix, for each matrix; only its lower triangle is looked at.",
    shape: super::matrices::square_shape,
    kernels: &[Kernel::cpu(compute).on("T", MATRIX_TYPES).heavy()],
    tolerance: Tolerance::Within(1e-4),
    ..WORDS
};

fn factors<T: Narrow>(x: &Tensor, n: usize) -> Result<Tensor> {
    let all = wide::<T>(x)?;
    let mut out = Vec::with_capacity(all.len());
    for a in all.chunks_exact((n * n).max(1)) {
        out.extend(cholesky(a, n));
    }
    narrow::<T>(x.shape().clone(), &out)
}

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let x = ctx.input(0)?;
    let (_, n) = square(x)?;
    let y = with_matrix!(x.dtype() => T, { factors::<T>(x, n)? }, else { return Err(unsupported("Cholesky", x.dtype())) });
    ctx.set_output(0, y);
    Ok(())
}
