//! `IFFT`: the inverse discrete Fourier transform along the last dimension.

use super::fourier::{Direction, fft, gradient};
use crate::prelude::*;

pub const OP: OpSpec = OpSpec {
    signature: "IFFT(input: Tcomplex) -> (output: Tcomplex)",
    attrs: "Tcomplex: type in {complex64, complex128} = complex64",
    doc: "The inverse discrete Fourier transform of the input along the last dimension.",
    shape: shape::unchanged_with_rank_at_least::<1>,
    gradient: Gradient::Of(|op, grads| gradient::<1>(op, grads, "FFT", true)),
    kernels: &[Kernel::cpu(|ctx| fft::<1>(ctx, Direction::Inverse)).on("Tcomplex", COMPLEX).heavy()],
    tolerance: Tolerance::Within(1e-5),
    ..WORDS
};
