//! `Imag`: the imaginary part.

use super::backward::number;
use super::complex_parts::{complex, part};
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "Imag(input: T) -> (output: Tout)",
    attrs: "T: type in {complex64, complex128} = complex64; Tout: type in {float, double} = float",
    doc: "output = the imaginary part, element by element.",
    shape: shape::unchanged,
    gradient: Gradient::Of(|_, grads| {
        let dx = {
            let dy = grads.dense(0);
            complex(&number(&dy, 0.0), &dy)
        };
        Ok(vec![Some(dx.into())])
    }),
    kernels: &[Kernel::cpu(|ctx| part(ctx, |x| x.im, |x| x.im))],
    tolerance: Tolerance::Rounding,
    ..WORDS
};
