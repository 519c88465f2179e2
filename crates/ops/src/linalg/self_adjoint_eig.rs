//! `SelfAdjointEig`: eigenvalues of self-adjoint matrices, above their eigenvectors (version 1).

use super::householder::Number;
use super::matrices::{Narrow, narrow, square, wide};
use super::self_adjoint_eig_v2::eigen;
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "SelfAdjointEig(input: T) -> (output: T)",
    attrs: "T: type in {double, float, half}",
    doc: "For each self-adjoint matrix one of a row more: the eigenvalues, smallest first, above the eigenvectors as columns.",
    shape,
    kernels: &[Kernel::cpu(compute).on("T", WIDE_FLOATS).heavy()],
    tolerance: Tolerance::Within(1e-4),
    ..WORDS
};

fn decompose<T: Narrow>(x: &Tensor) -> Result<Tensor>
where
    T::Wide: Number,
{
    let (outer, n) = square(x)?;
    let all = wide::<T>(x)?;
    let mut out = Vec::new();
    for a in all.chunks_exact((n * n).max(1)) {
        let (values, columns) = eigen(a, n)?;
        out.extend(values.iter().map(|&x| <T::Wide as nalgebra::ComplexField>::from_real(x)));
        out.extend(columns);
    }
    narrow::<T>(Shape::new(&[outer, &[n as i64 + 1, n as i64]].concat())?, &out)
}

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let x = ctx.input(0)?;
    let y = match x.dtype() {
        DType::Float => decompose::<f32>(x)?,
        _ => decompose::<f64>(x)?,
    };
    ctx.set_output(0, y);
    Ok(())
}

fn shape(c: &mut ShapeContext) -> Result<()> {
    if let Some([outer @ .., rows, columns]) = c.with_rank_at_least(0, 2)?.dims() {
        let n = rows.or(*columns);
        c.set_output(0, PartialShape::new(&[outer, &[n.map(|n| n + 1), n]].concat()));
    }
    Ok(())
}
