//! `TridiagonalMatMul`: products with matrices that have three diagonals.

use super::matrices::{Field, Narrow, narrow, split, wide};
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "TridiagonalMatMul(superdiag: T, maindiag: T, subdiag: T, rhs: T) -> (output: T)",
    attrs: "T: type in {double, float, complex64, complex128}",
    doc: "The product of matrices given by their diagonals, each [..., 1, M], with rhs.",
    shape,
    kernels: &[Kernel::cpu(compute).on("T", TRIDIAGONAL_TYPES)],
    tolerance: Tolerance::Rounding,
    ..WORDS
};

/// The types of matrices of three diagonals.
pub(super) const TRIDIAGONAL_TYPES: &[DType] = &[DType::Double, DType::Float, DType::Complex64, DType::Complex128];

/// `with_tridiagonal!(dtype => T, { body::<T>() }, else { other })` for [`TRIDIAGONAL_TYPES`].
macro_rules! with_tridiagonal {
    ($dtype:expr => $t:ident, $body:block, else $other:block) => {
        ferroflow_tensor::dispatch!($dtype, [f32, f64, num_complex::Complex<f32>, num_complex::Complex<f64>] => $t, $body, else $other)
    };
}
pub(super) use with_tridiagonal;

fn multiply<T: Narrow>(diagonals: [&Tensor; 3], rhs: &Tensor) -> Result<Tensor> {
    let (outer, n, k) = split(rhs)?;
    for d in diagonals {
        let (outer_d, one, length) = split(d)?;
        if outer_d != outer || one != 1 || length != n {
            return Err(invalid_argument(format!("a diagonal of shape {} does not fit rhs of shape {}", d.shape(), rhs.shape())));
        }
    }
    let [above, main, below] = [wide::<T>(diagonals[0])?, wide::<T>(diagonals[1])?, wide::<T>(diagonals[2])?];
    let b = wide::<T>(rhs)?;
    let mut out = vec![T::Wide::real(0.0); b.len()];
    for p in 0..b.len() {
        let row = p / k;
        let mut sum = main[row] * b[p];
        if row % n > 0 {
            sum += below[row] * b[p - k];
        }
        if row % n + 1 < n {
            sum += above[row] * b[p + k];
        }
        out[p] = sum;
    }
    narrow::<T>(rhs.shape().clone(), &out)
}

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let rhs = ctx.input(3)?;
    let diagonals = [ctx.input(0)?, ctx.input(1)?, ctx.input(2)?];
    let y = with_tridiagonal!(rhs.dtype() => T, { multiply::<T>(diagonals, rhs)? }, else { return Err(unsupported("TridiagonalMatMul", rhs.dtype())) });
    ctx.set_output(0, y);
    Ok(())
}

fn shape(c: &mut ShapeContext) -> Result<()> {
    let rhs = c.with_rank_at_least(3, 2)?;
    c.set_output(0, rhs);
    Ok(())
}
