//! `Complex`: complex numbers of their parts.

use super::backward::reduced;
use super::broadcasting::{for_each_pair, plan};
use super::complex_parts::part_of;
use crate::prelude::*;
use num_complex::Complex;

pub const OP: OpSpec = OpSpec {
    signature: "Complex(real: T, imag: T) -> (out: Tout)",
    attrs: "T: type in {float, double} = float; Tout: type in {complex64, complex128} = complex64",
    doc: "out = real + i imag, with broadcasting.",
    shape: shape::broadcast,
    gradient: Gradient::Of(gradient),
    kernels: &[Kernel::cpu(compute)],
    ..WORDS
};

fn compute(ctx: &mut OpKernelContext) -> Result<()> {
    let (re, im) = (ctx.input(0)?, ctx.input(1)?);
    let (plan, shape) = plan(re.shape(), im.shape())?;
    let out = ctx.node.attrs.dtype("Tout")?;
    let mut z = Tensor::for_overwrite(out, shape)?;
    match (re.dtype(), out) {
        (DType::Float, DType::Complex64) => {
            let (re, im, z) = (re.as_slice::<f32>()?, im.as_slice::<f32>()?, z.as_mut_slice()?);
            for_each_pair(&plan, |l, r, o| z[o] = Complex::new(re[l], im[r]));
        }
        (DType::Double, DType::Complex128) => {
            let (re, im, z) = (re.as_slice::<f64>()?, im.as_slice::<f64>()?, z.as_mut_slice()?);
            for_each_pair(&plan, |l, r, o| z[o] = Complex::new(re[l], im[r]));
        }
        (from, to) => return Err(invalid_argument(format!("{to} is not the complex type of {from}"))),
    }
    ctx.set_output(0, z);
    Ok(())
}

fn gradient(op: &Operation, grads: &OutGrads) -> Result<Vec<Option<Grad>>> {
    let dz = grads.dense(0);
    Ok(reduced(&op.input(0), &op.input(1), &op.output(0), part_of("Real", &dz), part_of("Imag", &dz)))
}
