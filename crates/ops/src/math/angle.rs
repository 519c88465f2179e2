//! `Angle`: the angle of a complex number.

use super::backward::{apply, number};
use super::complex_parts::{complex, part, part_of};
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "Angle(input: T) -> (output: Tout)",
    attrs: "T: type in {complex64, complex128} = complex64; Tout: type in {float, double} = float",
    doc: "output = the angle of a complex number, element by element.",
    shape: shape::unchanged,
    gradient: Gradient::Of(|op, grads| {
        let dx = {
            let dy = grads.dense(0);
            // i conj(x) / |x|², with the imaginary part first: the way that the angle grows fastest.
            let turned = complex(&part_of("Imag", &op.input(0)), &part_of("Real", &op.input(0)));
            let zero = number(&dy, 0.0);
            -(complex(&dy, &zero) * apply("Reciprocal", &[&turned]))
        };
        Ok(vec![Some(dx.into())])
    }),
    kernels: &[Kernel::cpu(|ctx| part(ctx, |x| x.arg(), |x| x.arg()))],
    tolerance: Tolerance::Rounding,
    ..WORDS
};
