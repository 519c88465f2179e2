//! `ComplexAbs`: the absolute value of a complex number.

use super::backward::{apply, number};
use super::complex_parts::{complex, part};
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "ComplexAbs(x: T) -> (y: Tout)",
    attrs: "T: type in {complex64, complex128} = complex64; Tout: type in {float, double} = float",
    doc: "output = the absolute value of a complex number, element by element.",
    shape: shape::unchanged,
    gradient: Gradient::Of(|op, grads| {
        let dx = {
            let dy = grads.dense(0);
            let zero = number(&dy, 0.0);
            apply("DivNoNan", &[&(complex(&dy, &zero) * op.input(0)), &complex(&op.output(0), &zero)])
        };
        Ok(vec![Some(dx.into())])
    }),
    kernels: &[Kernel::cpu(|ctx| part(ctx, |x| x.norm(), |x| x.norm()))],
    tolerance: Tolerance::Rounding,
    ..WORDS
};
