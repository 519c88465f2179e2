//! `MatrixTriangularSolve`: the solution of triangular systems of linear equations.

use super::matrices::{Field, MATRIX_TYPES, Narrow, adjoint, narrow, solve_triangle, split, square, wide, with_matrix};
use crate::math::broadcasting::{for_each_pair, plan};
use crate::prelude::*;
use ferroflow_math::Broadcast;

pub const OP: OpSpec = OpSpec {
    signature: "MatrixTriangularSolve(matrix: T, rhs: T) -> (output: T)",
    attrs: "lower: bool = true; adjoint: bool = false; T: type in {bfloat16, double, float, half, complex64, complex128}",
    doc: "The x of matrix x = rhs for each triangle or, if `adjoint`, its adjoint; batches are broadcast.",
    shape: shape::unknown,
    kernels: &[Kernel::cpu(compute).on("T", MATRIX_TYPES).heavy()],
    tolerance: Tolerance::Within(1e-4),
    ..WORDS
};

struct Systems {
    plan: Broadcast,
    shape: Shape,
    n: usize,
    k: usize,
}

fn solve<T: Narrow>(x: &Tensor, rhs: &Tensor, s: &Systems, lower: bool, of_adjoint: bool) -> Result<Tensor> {
    let (all, b) = (wide::<T>(x)?, wide::<T>(rhs)?);
    let (n, k) = (s.n, s.k);
    let mut out = vec![T::Wide::real(0.0); s.shape.num_elements()];
    for_each_pair(&s.plan, |i, j, o| {
        let a = &all[i * n * n..(i + 1) * n * n];
        let turned = if of_adjoint { adjoint(a, n) } else { a.to_vec() };
        let x = solve_triangle(&turned, n, lower != of_adjoint, &b[j * n * k..(j + 1) * n * k], k);
        out[o * n * k..(o + 1) * n * k].copy_from_slice(&x);
    });
    narrow::<T>(s.shape.clone(), &out)
}

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let (x, rhs) = (ctx.input(0)?, ctx.input(1)?);
    let (outer, n) = square(x)?;
    let (outer_rhs, rows, k) = split(rhs)?;
    if rows != n {
        return Err(invalid_argument(format!("Input matrix and rhs are incompatible: {} and {}", x.shape(), rhs.shape())));
    }
    let (plan, batch) = plan(&Shape::new(outer)?, &Shape::new(outer_rhs)?)?;
    let shape = Shape::new(&[batch.dims(), &[n as i64, k as i64]].concat())?;
    let systems = Systems { plan, shape, n, k };
    let (lower, of_adjoint) = (ctx.node.attrs.bool("lower")?, ctx.node.attrs.bool("adjoint")?);
    let y = with_matrix!(x.dtype() => T, { solve::<T>(x, rhs, &systems, lower, of_adjoint)? }, else { return Err(unsupported("MatrixTriangularSolve", x.dtype())) });
    ctx.set_output(0, y);
    Ok(())
}
