//! `Conj`: the complex conjugate.

use super::backward::{apply, of_one};
use crate::prelude::*;
use num_complex::Complex;

pub const OP: OpSpec = OpSpec {
    signature: "Conj(input: T) -> (output: T)",
    attrs: "T: type in {complex64, complex128, variant} = complex64",
    doc: "output = input with the sign of the imaginary part changed.",
    shape: shape::unchanged,
    gradient: Gradient::Of(|op, grads| of_one(op, grads, |_, _, dy| apply("Conj", &[dy]))),
    kernels: &[Kernel::cpu(compute).on("T", COMPLEX)],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let x = ctx.input(0)?;
    let mut y = Tensor::for_overwrite(x.dtype(), x.shape().clone())?;
    ferroflow_tensor::dispatch!(x.dtype(), [Complex<f32>, Complex<f64>] => T, {
        for (y, x) in y.as_mut_slice::<T>()?.iter_mut().zip(x.as_slice::<T>()?) {
            *y = x.conj();
        }
    }, else { return Err(unsupported("Conj", x.dtype())) });
    ctx.set_output(0, y);
    Ok(())
}
