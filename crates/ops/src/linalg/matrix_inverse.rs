//! `MatrixInverse`: the inverse of matrices.

use super::matrices::{Field, Lu, MATRIX_TYPES, Narrow, adjoint, narrow, square, wide, with_matrix};
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "MatrixInverse(input: T) -> (output: T)",
    attrs: "adjoint: bool = false; T: type in {double, float, half, complex64, complex128}",
    doc: "The inverse of each square matrix or, if `adjoint`, of its adjoint.",
    shape: super::matrices::square_shape,
    kernels: &[Kernel::cpu(compute).on("T", MATRIX_TYPES).heavy()],
    tolerance: Tolerance::Within(1e-4),
    ..WORDS
};

fn invert<T: Narrow>(x: &Tensor, n: usize, of_adjoint: bool) -> Result<Tensor> {
    let all = wide::<T>(x)?;
    let one = identity::<T::Wide>(n);
    let mut out = Vec::with_capacity(all.len());
    for a in all.chunks_exact((n * n).max(1)) {
        let lu = Lu::of(if of_adjoint { adjoint(a, n) } else { a.to_vec() }, n);
        if lu.is_singular() {
            return Err(invalid_argument("Input is not invertible."));
        }
        out.extend(lu.solve(&one, n));
    }
    narrow::<T>(x.shape().clone(), &out)
}

fn identity<F: Field>(n: usize) -> Vec<F> {
    (0..n * n).map(|p| F::real(if p / n == p % n { 1.0 } else { 0.0 })).collect()
}

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let x = ctx.input(0)?;
    let (_, n) = square(x)?;
    let of_adjoint = ctx.node.attrs.bool("adjoint")?;
    let y = with_matrix!(x.dtype() => T, { invert::<T>(x, n, of_adjoint)? }, else { return Err(unsupported("MatrixInverse", x.dtype())) });
    ctx.set_output(0, y);
    Ok(())
}
