//! `IFFT2D`: the inverse discrete Fourier transform along the last two dimensions.

use super::fourier::{Direction, fft, gradient};
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "IFFT2D(input: Tcomplex) -> (output: Tcomplex)",
    attrs: "Tcomplex: type in {complex64, complex128} = complex64",
    doc: "The inverse discrete Fourier transform of the input along the last two dimensions.",
    shape: shape::unchanged_with_rank_at_least::<2>,
    gradient: Gradient::Of(|op, grads| gradient::<2>(op, grads, "FFT2D", true)),
    kernels: &[Kernel::cpu(|ctx| fft::<2>(ctx, Direction::Inverse)).on("Tcomplex", COMPLEX).heavy()],
    tolerance: Tolerance::Within(1e-5),
    ..WORDS
};
