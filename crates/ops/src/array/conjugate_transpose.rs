//! `ConjugateTranspose`: the dimensions in another order, and the conjugate of every element.

use crate::prelude::*;
use num_complex::Complex;

pub const OP: OpSpec = OpSpec {
    signature: "ConjugateTranspose(x: T, perm: Tperm) -> (y: T)",
    attrs: "T: type; Tperm: type in {int32, int64} = int32",
    doc: "As `Transpose`, of the conjugates.",
    shape: super::transpose::shape,
    gradient: Gradient::Of(gradient),
    kernels: &[Kernel::cpu(compute)],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let mut y = super::transpose::transposed(ctx)?;
    match y.dtype() {
        DType::Complex64 => y.make_mut::<Complex<f32>>()?.iter_mut().for_each(|v| *v = v.conj()),
        DType::Complex128 => y.make_mut::<Complex<f64>>()?.iter_mut().for_each(|v| *v = v.conj()),
        _ => {}
    }
    ctx.set_output(0, y);
    Ok(())
}

fn gradient(op: &Operation, grads: &OutGrads) -> Result<Vec<Option<Grad>>> {
    let g = op.graph();
    let back = g.op("InvertPermutation").input(op.input(1)).output();
    Ok(vec![Some(g.op("ConjugateTranspose").inputs([grads.dense(0), back]).output().into()), None])
}
