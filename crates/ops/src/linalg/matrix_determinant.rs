//! `MatrixDeterminant`: the determinants of matrices.

use super::matrices::{Lu, MATRIX_TYPES, Narrow, narrow, square, wide, with_matrix};
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "MatrixDeterminant(input: T) -> (output: T)",
    attrs: "T: type in {half, float, double, complex64, complex128}",
    doc: "The determinant of each square matrix.",
    shape,
    kernels: &[Kernel::cpu(compute).on("T", MATRIX_TYPES).heavy()],
    tolerance: Tolerance::Within(1e-4),
    ..WORDS
};

fn determinants<T: Narrow>(x: &Tensor, shape: Shape, n: usize) -> Result<Tensor> {
    let all = wide::<T>(x)?;
    let one = |i: usize| Lu::of(all[i * n * n..(i + 1) * n * n].to_vec(), n).determinant();
    let count = shape.num_elements();
    narrow::<T>(shape, &(0..count).map(one).collect::<Vec<_>>())
}

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let x = ctx.input(0)?;
    let (outer, n) = square(x)?;
    let shape = Shape::new(outer)?;
    let y =
        with_matrix!(x.dtype() => T, { determinants::<T>(x, shape, n)? }, else { return Err(unsupported("MatrixDeterminant", x.dtype())) });
    ctx.set_output(0, y);
    Ok(())
}

fn shape(c: &mut ShapeContext) -> Result<()> {
    if let Some(dims) = c.with_rank_at_least(0, 2)?.dims() {
        c.set_output(0, PartialShape::new(&dims[..dims.len() - 2]));
    }
    Ok(())
}
