//! `LogMatrixDeterminant`: the determinants of matrices as sign and logarithm.

use super::matrices::{Field, Lu, MATRIX_TYPES, Narrow, narrow, square, wide, with_matrix};
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "LogMatrixDeterminant(input: T) -> (sign: T, log_abs_determinant: T)",
    attrs: "T: type in {half, float, double, complex64, complex128}",
    doc: "For each square matrix the sign of its determinant and the logarithm of its magnitude.",
    shape,
    kernels: &[Kernel::cpu(compute).on("T", MATRIX_TYPES).heavy()],
    tolerance: Tolerance::Within(1e-4),
    ..WORDS
};

fn determinants<T: Narrow>(x: &Tensor, shape: Shape, n: usize) -> Result<[Tensor; 2]> {
    let all = wide::<T>(x)?;
    let one = |i: usize| Lu::of(all[i * n * n..(i + 1) * n * n].to_vec(), n).log_determinant();
    let (signs, logs): (Vec<T::Wide>, Vec<f64>) = (0..shape.num_elements()).map(one).unzip();
    let logs: Vec<T::Wide> = logs.into_iter().map(T::Wide::real).collect();
    Ok([narrow::<T>(shape.clone(), &signs)?, narrow::<T>(shape, &logs)?])
}

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let x = ctx.input(0)?;
    let (outer, n) = square(x)?;
    let shape = Shape::new(outer)?;
    let [sign, log] = with_matrix!(x.dtype() => T, { determinants::<T>(x, shape, n)? }, else { return Err(unsupported("LogMatrixDeterminant", x.dtype())) });
    ctx.set_output(0, sign);
    ctx.set_output(1, log);
    Ok(())
}

fn shape(c: &mut ShapeContext) -> Result<()> {
    if let Some(dims) = c.with_rank_at_least(0, 2)?.dims() {
        let outer = PartialShape::new(&dims[..dims.len() - 2]);
        c.set_output(0, outer.clone());
        c.set_output(1, outer);
    }
    Ok(())
}
