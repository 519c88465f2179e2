//! `MatrixSolve`: the solution of systems of linear equations.

use super::matrices::{Lu, MATRIX_TYPES, Narrow, adjoint, narrow, split, square, wide, with_matrix};
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "MatrixSolve(matrix: T, rhs: T) -> (output: T)",
    attrs: "adjoint: bool = false; T: type in {double, float, half, complex64, complex128}",
    doc: "The x of matrix x = rhs for each square matrix or, if `adjoint`, its adjoint.",
    shape: super::matrices::solution_shape,
    kernels: &[Kernel::cpu(compute).on("T", MATRIX_TYPES).heavy()],
    tolerance: Tolerance::Within(1e-4),
    ..WORDS
};

fn solve<T: Narrow>(x: &Tensor, rhs: &Tensor, n: usize, k: usize, of_adjoint: bool) -> Result<Tensor> {
    let (all, b) = (wide::<T>(x)?, wide::<T>(rhs)?);
    let mut out = Vec::with_capacity(b.len());
    for (i, a) in all.chunks_exact((n * n).max(1)).enumerate() {
        let lu = Lu::of(if of_adjoint { adjoint(a, n) } else { a.to_vec() }, n);
        if lu.is_singular() {
            return Err(invalid_argument("Input matrix is not invertible."));
        }
        out.extend(lu.solve(&b[i * n * k..(i + 1) * n * k], k));
    }
    narrow::<T>(rhs.shape().clone(), &out)
}

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let (x, rhs) = (ctx.input(0)?, ctx.input(1)?);
    let (outer, n) = square(x)?;
    let (outer_rhs, rows, k) = split(rhs)?;
    if outer != outer_rhs || rows != n {
        return Err(invalid_argument(format!("Input matrix and rhs are incompatible: {} and {}", x.shape(), rhs.shape())));
    }
    let of_adjoint = ctx.node.attrs.bool("adjoint")?;
    let y =
        with_matrix!(x.dtype() => T, { solve::<T>(x, rhs, n, k, of_adjoint)? }, else { return Err(unsupported("MatrixSolve", x.dtype())) });
    ctx.set_output(0, y);
    Ok(())
}
